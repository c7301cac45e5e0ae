#include "cmd/init/choose.h"

#include <ctype.h>

#include "cmd/init/compile.h"
#include "cmd/init/templates.h"
#include "cmd/ui/out.h"
#include "core/base/demangle.h"
#include "core/task/expr.h"
#include "scorer/build/signature.h"

#define MOST_NAMED 12

/* "axpy" of "ns::axpy<float>", "each" of "ns::view<float>::each" */
static bool has_short_name(const char *name, const char *wanted)
{
	const char *at = name, *end = NULL;
	size_t depth = 0;

	for (const char *s = name; *s; s++) {
		if (*s == '<' && !depth++)
			end = s;
		else if (*s == '>' && depth)
			depth--;
		else if (*s == ':' && !depth) {
			at = s + 1;
			end = NULL;
		}
	}
	if (!end)
		end = name + strlen(name);
	return strlen(wanted) == (size_t)(end - at) &&
	       memcmp(at, wanted, strlen(wanted)) == 0;
}

/* "geo::blur(const float *, int)", whatever names the parameters have. */
static bool fits_declaration(const struct prototype *p, const char *wanted)
{
	cleanup_free char *whole = p->symbol ? demangle(p->symbol) : NULL;

	return whole && strchr(wanted, '(') && signature_fits(whole, wanted);
}

/* "f<8,uint8_t>" is "f<8, unsigned char>". */
static bool is_same_name(const char *a, const char *b)
{
	return str_eq(a, b) || (strchr(a, '<') && !strpbrk(a, "()") &&
				!strchr(b, '(') && signature_is_name(a, b));
}

static bool is_named(const struct prototype *p, const char *entry)
{
	return is_same_name(p->name, entry) ||
	       (p->symbol && str_eq(p->symbol, entry)) ||
	       has_short_name(p->name, entry) || fits_declaration(p, entry);
}

/* By a class's name its constructor is not meant. */
static bool is_wanted(const struct prototype *p, const char *entry)
{
	return !p->is_constructor && is_named(p, entry);
}

/* Why it cannot be an entry; NULL: it can, if by an adapter. */
static const char *why_not(const struct prototype *p)
{
	if (str_eq(p->name, "main"))
		return "the program itself, not a kernel";
	if (p->is_constructor)
		return "a constructor, not a kernel";
	if (!p->n)
		return "without arguments: there is nothing that its result "
		       "could depend on";
	return NULL;
}

static void add_signature(struct buf *out, const struct prototype *p)
{
	buf_addf(out, "%s(", p->name);
	for (size_t i = 0; i < p->n; i++)
		buf_addf(out, "%s%s%s%s", i ? ", " : "",
			 p->parameter[i].declared,
			 p->parameter[i].is_pointer ? "" : " ",
			 p->parameter[i].name);
	buf_addc(out, ')');
}

static bool is_overloaded(const struct function_list *all,
			  const struct prototype *p)
{
	for (size_t i = 0; i < all->n; i++)
		if (&all->v[i] != p && str_eq(all->v[i].name, p->name))
			return true;
	return false;
}

char *choose_name(const struct function_list *all, const struct prototype *p)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	if (!p->symbol || !is_overloaded(all, p))
		return xstrdup(p->name);
	buf_addf(&text, "%s(", p->name);
	for (size_t i = 0; i < p->n; i++)
		buf_addf(&text, "%s%s", i ? ", " : "",
			 p->parameter[i].declared);
	buf_addc(&text, ')');
	/* A type that is not told as C++ does, a pointer to arrays say. */
	if (!fits_declaration(p, text.data))
		return demangle(p->symbol);
	return buf_take(&text);
}

/* ---- which of them -------------------------------------------------------------- */

/* Indices into the list of functions. */
struct chosen {
	size_t *v, n, cap;
};

static void chosen_release(struct chosen *c)
{
	free(c->v);
}
DEFINE_RELEASE(chosen, struct chosen, chosen_release)
#define cleanup_chosen CLEANUP(chosen)

static void add_chosen(struct chosen *c, size_t i)
{
	GROW(c->v, c->n, c->cap);
	c->v[c->n++] = i;
}

/* What other files can call, by the file's name if one has it; where there is
 * nothing of that kind, what only this file can. */
static void find_callable(struct chosen *c, const struct function_list *all,
			  const char *path)
{
	for (int is_static = 0; is_static <= 1 && !c->n; is_static++)
		for (size_t i = 0; i < all->n; i++) {
			const struct prototype *p = &all->v[i];

			if (why_not(p) || p->is_static != is_static)
				continue;
			add_chosen(c, i);
			if (!prototype_is_named_like(p->name, strlen(p->name),
						     path) ||
			    is_overloaded(all, p))
				continue;
			c->v[0] = i;
			c->n = 1;
			return;
		}
}

/* Those of the name; the one that has it whole, if only one has. */
static void find_named(struct chosen *c, const struct function_list *all,
		       const char *entry)
{
	size_t whole = 0, n = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (!is_wanted(&all->v[i], entry))
			continue;
		add_chosen(c, i);
		if (has_short_name(all->v[i].name, entry) &&
		    !is_same_name(all->v[i].name, entry))
			continue;
		whole = i;
		n++;
	}
	if (n != 1)
		return;
	c->v[0] = whole;
	c->n = 1;
}

/* Each as the value that --entry takes. */
static void add_values(struct buf *out, const struct function_list *all,
		       const struct chosen *c)
{
	for (size_t i = 0; i < c->n && i < MOST_NAMED; i++) {
		cleanup_free char *name = choose_name(all, &all->v[c->v[i]]);

		buf_adds(out, i ? ", " : "");
		out_shell_word(out, name);
	}
	if (c->n > MOST_NAMED)
		buf_addf(out, " and %zu more", c->n - MOST_NAMED);
}

static struct error *several(const struct function_list *all,
			     const struct chosen *c, const char *path,
			     const char *entry)
{
	cleanup_buf struct buf names = BUF_INIT(BUF_LIMIT_TEXT);

	add_values(&names, all, c);
	return error_new(ERROR_USAGE,
			 "%s has several functions%s%s: choose one by --entry "
			 "(%s)",
			 path, entry ? " " : "", entry ? entry : "",
			 names.data);
}

/* How a template gets into the list, which no compiler has without its
 * arguments. */
static char *template_hint(enum language language, const char *source)
{
	cleanup_free char *found = NULL;

	if (language != LANGUAGE_CXX)
		return xstrdup("");
	found = template_in_source(source);
	return xasprintf(" (a template is named with its arguments: --entry "
			 "'%s')",
			 found ? found : "ns::name<float>");
}

static struct error *none(const struct function_list *all, const char *path,
			  enum language language, const char *source)
{
	cleanup_free char *hint = template_hint(language, source);

	for (size_t i = 0; i < all->n; i++)
		if (all->n == 1 && why_not(&all->v[i]))
			return error_new(ERROR_TASK, "%s: %s is %s", path,
					 all->v[i].name, why_not(&all->v[i]));
	return error_new(ERROR_NOT_FOUND,
			 "%s defines no function that could be called from "
			 "outside%s%s",
			 path, hint,
			 is_header(path) ? ", or a macro has to be defined "
					   "(after the file: -- -DNAME)"
					 : "");
}

/* What cannot be an entry though the file may define it; NULL: `entry` names
 * nothing of that kind. */
static const char *why_not_wanted(const struct function_list *all,
				  const char *entry)
{
	if (strchr(entry, '~'))
		return "a destructor, not a kernel";
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].is_constructor && is_named(&all->v[i], entry))
			return why_not(&all->v[i]);
	return NULL;
}

static struct error *not_found(const struct function_list *all,
			       const char *path, const char *entry,
			       enum language language, const char *source)
{
	cleanup_buf struct buf names = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_chosen struct chosen every = {0};
	cleanup_free char *hint = NULL;
	const char *why = why_not_wanted(all, entry);
	bool has_template = false;

	for (size_t i = 0; i < all->n; i++)
		if (!all->v[i].is_constructor) {
			add_chosen(&every, i);
			has_template |= strchr(all->v[i].name, '<') != NULL;
		}
	/* What is named already shows how. */
	hint = has_template ? xstrdup("") : template_hint(language, source);
	add_values(&names, all, &every);
	if (why)
		return error_new(ERROR_USAGE, "%s: %s is %s%s%s", path, entry,
				 why, every.n ? "; it has " : "", names.data);
	return error_new(ERROR_NOT_FOUND, "%s defines no function %s%s%s%s",
			 path, entry, every.n ? "; it has " : "", names.data,
			 hint);
}

bool choose_has(const struct function_list *all, const char *entry)
{
	for (size_t i = 0; i < all->n; i++)
		if (is_wanted(&all->v[i], entry))
			return true;
	return false;
}

/* A line of the user's, without its end; false at the end of the input. */
static bool read_answer(char *out, size_t size, const char *question)
{
	printf("%s ", question);
	fflush(stdout);
	if (!fgets(out, (int)size, stdin))
		return false;
	out[strcspn(out, "\n")] = '\0';
	return true;
}

static bool ask_function(struct chosen *c, const struct function_list *all,
			 const char *path)
{
	size_t answer;
	char text[64], *end;

	printf("%s has several functions:\n", path);
	for (size_t i = 0; i < c->n; i++) {
		cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

		add_signature(&line, &all->v[c->v[i]]);
		printf("%4zu  %s\n", i + 1, line.data);
	}
	do {
		if (!read_answer(text, sizeof text, "which is it? (a number)"))
			return false;
		answer = strtoul(text, &end, 10);
	} while (!answer || answer > c->n || *end);
	c->v[0] = c->v[answer - 1];
	c->n = 1;
	return true;
}

static struct error *check(const struct prototype *p, const char *path)
{
	if (why_not(p))
		return error_new(ERROR_USAGE, "%s: %s is %s", path, p->name,
				 why_not(p));
	if (p->too_many)
		return error_new(ERROR_TOO_BIG,
				 "%s: %s has more than %d parameters", path,
				 p->name, TASK_MAX_ARGS);
	return NULL;
}

struct error *choose_function(struct prototype **out,
			      const struct function_list *all,
			      enum language language, const char *path,
			      const char *source, const char *entry, bool ask)
{
	cleanup_chosen struct chosen c = {0};

	if (entry)
		find_named(&c, all, entry);
	else
		find_callable(&c, all, path);
	if (!c.n)
		return entry ? not_found(all, path, entry, language, source)
			     : none(all, path, language, source);
	if (c.n > 1 && !(ask && ask_function(&c, all, path)))
		return several(all, &c, path, entry);
	*out = &all->v[c.v[0]];
	return check(*out, path);
}

/* ---- shapes --------------------------------------------------------------------- */

/* Is it a list of expressions, "m, (n + 1) / 2"? */
static bool is_shape(const char *text)
{
	while (*text) {
		size_t depth = 0, len = 0;
		cleanup_free char *one = NULL;
		struct expr *e = NULL;
		struct error *err;

		for (; text[len] && (depth || text[len] != ','); len++)
			depth += text[len] == '('	     ? 1
				 : text[len] == ')' && depth ? (size_t)-1
							     : 0;
		one = xstrndup(text, len);
		err = expr_parse(&e, one);
		expr_free(e);
		if (err) {
			error_free(err);
			return false;
		}
		text += len + (text[len] == ',');
	}
	return true;
}

/* "m, n" has (m) * (n) elements. */
static void take_shape(struct parameter *a, const char *text)
{
	cleanup_buf struct buf extent = BUF_INIT(BUF_LIMIT_TEXT);
	size_t depth = 0;

	a->shape = xstrdup(text);
	a->shape_unsure = false;
	buf_addc(&extent, '(');
	for (; *text; text++) {
		depth += *text == '('		 ? 1
			 : *text == ')' && depth ? SIZE_MAX
						 : 0;
		if (*text == ',' && !depth)
			buf_adds(&extent, ") * (");
		else
			buf_addc(&extent, *text);
	}
	buf_addc(&extent, ')');
	free(a->extent);
	a->extent = buf_take(&extent);
}

void ask_shapes(struct prototype *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct parameter *a = &p->parameter[i];
		char text[256];
		cleanup_free char *question = NULL;

		if (!a->is_pointer || !a->known || a->shape)
			continue;
		question = xasprintf("how many elements has %s? (`m, n` for a "
				     "matrix; empty: a guess)",
				     a->name);
		do {
			if (!read_answer(text, sizeof text, question))
				return;
		} while (!is_shape(text));
		if (!text[strspn(text, " \t")])
			continue;
		take_shape(a, text);
		for (size_t k = 0; k < p->n; k++)
			if (*p->parameter[k].name &&
			    strstr(text, p->parameter[k].name))
				p->parameter[k].is_size = true;
	}
}
