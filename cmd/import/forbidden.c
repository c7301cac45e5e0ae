#include "cmd/import/forbidden.h"

#include <ctype.h>

#define LONGEST 100

static bool is_name(const char *text)
{
	size_t len = strlen(text);

	if (!len || len > LONGEST || isdigit((unsigned char)*text))
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && *text != '_')
			return false;
	return true;
}

static void add_once(struct strvec *list, const char *name)
{
	if (!strvec_has(list, name))
		strvec_push(list, name);
}

/* The length of what stands before an operator's name, of which the longest that
 * fits is meant; 0: nothing of PyTorch. */
static size_t before_operator(const char *text)
{
	static const char *const before[] = {
		"torch.nn.functional.",
		"torch.ops.aten.",
		"torch.Tensor.",
		"torch.special.",
		"torch.linalg.",
		"torch.",
		"Tensor.",
		"F.",
		".",
	};

	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		if (starts_with(text, before[i]))
			return strlen(before[i]);
	return 0;
}

/* The name of a package that begins so, and it alone, or with what is in it. */
static bool take_module(struct forbidden_names *out, const char *text,
			bool is_import)
{
	size_t len = strcspn(text, ". ");
	cleanup_free char *package = xstrndup(text, len);

	/* Without PyTorch itself no candidate can be. */
	if (!is_name(package) || str_eq(package, "torch") ||
	    (!is_import && text[len] != '.'))
		return false;
	add_once(&out->modules, package);
	return true;
}

bool forbidden_take(struct forbidden_names *out, const char *text)
{
	static const char *const imports[] = {"import ", "from "};
	cleanup_free char *name = xstrndup(text, strcspn(text, "("));
	size_t before = before_operator(name);

	for (size_t i = 0; i < ARRAY_SIZE(imports); i++)
		if (starts_with(name, imports[i]))
			return take_module(out, name + strlen(imports[i]),
					   true);
	if (!before)
		return take_module(out, name, false);
	if (!is_name(name + before))
		return false;
	add_once(&out->calls, name + before);
	return true;
}

static void print_list(struct buf *out, const char *key,
		       const struct strvec *list)
{
	for (size_t i = 0; i < list->n; i++)
		buf_addf(out, "%s%s", i ? ", " : key, list->v[i]);
	buf_adds(out, list->n ? "]" : "");
}

void forbidden_print(struct buf *out, const struct forbidden_names *f)
{
	if (!f->calls.n && !f->modules.n)
		return;
	buf_adds(out, "forbidden: {");
	print_list(out, "calls: [", &f->calls);
	buf_adds(out, f->calls.n && f->modules.n ? ", " : "");
	print_list(out, "modules: [", &f->modules);
	buf_adds(out, "}\n");
}

void forbidden_names_release(struct forbidden_names *f)
{
	strvec_release(&f->calls);
	strvec_release(&f->modules);
}
