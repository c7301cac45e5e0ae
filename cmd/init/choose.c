#include "cmd/init/choose.h"

#include <ctype.h>

#include "cmd/ui/out.h"
#include "core/task/expr.h"

#define MOST_NAMED 12

/* "axpy" is "ns::axpy<float>" too, if that is the only one. */
static bool is_named(const struct prototype *p, const char *entry)
{
	const char *end = p->name + strcspn(p->name, "<"), *at = end;

	if (str_eq(p->name, entry) || (p->symbol && str_eq(p->symbol, entry)))
		return true;
	while (at > p->name && at[-1] != ':')
		at--;
	return strlen(entry) == (size_t)(end - at) &&
	       memcmp(at, entry, strlen(entry)) == 0;
}

/* Why it cannot be an entry; NULL: it can. */
static const char *why_not(const struct prototype *p)
{
	if (str_eq(p->name, "main"))
		return "the program itself, not a kernel";
	if (p->is_static)
		return "static, so that nothing outside the file can call it";
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

static size_t count(const struct function_list *all, const char *path,
		    size_t *found)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct prototype *p = &all->v[i];

		if (why_not(p))
			continue;
		if (prototype_is_named_like(p->name, strlen(p->name), path)) {
			*found = i;
			return 1;
		}
		*found = i;
		n++;
	}
	return n;
}

static struct error *several(const struct function_list *all, const char *path)
{
	cleanup_buf struct buf names = BUF_INIT(BUF_LIMIT_TEXT);
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (why_not(&all->v[i]))
			continue;
		if (n++ < MOST_NAMED)
			buf_addf(&names, "%s%s", n > 1 ? ", " : "",
				 all->v[i].name);
	}
	if (n > MOST_NAMED)
		buf_addf(&names, " and %zu more", n - MOST_NAMED);
	return error_new(ERROR_USAGE,
			 "%s has several functions: choose one by --entry (%s)",
			 path, names.data);
}

static struct error *none(const struct function_list *all, const char *path)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->n == 1 && why_not(&all->v[i]))
			return error_new(ERROR_TASK, "%s: %s is %s", path,
					 all->v[i].name, why_not(&all->v[i]));
	return error_new(ERROR_NOT_FOUND,
			 "%s defines no function that could be called from "
			 "outside",
			 path);
}

static struct error *by_name(size_t *found, const struct function_list *all,
			     const char *path, const char *entry)
{
	cleanup_buf struct buf names = BUF_INIT(BUF_LIMIT_TEXT);
	size_t n = 0, all_named = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (n++ < MOST_NAMED)
			buf_addf(&names, "%s%s", n > 1 ? ", " : "",
				 all->v[i].name);
		if (!is_named(&all->v[i], entry))
			continue;
		all_named++;
		if (all_named == 1 || str_eq(all->v[i].name, entry))
			*found = i;
	}
	if (!all_named)
		return error_new(ERROR_NOT_FOUND,
				 "%s defines no function %s%s%s", path, entry,
				 n ? "; it has " : "", names.data);
	if (all_named > 1 && !is_named(&all->v[*found], entry))
		return several(all, path);
	if (why_not(&all->v[*found]))
		return error_new(ERROR_USAGE, "%s: %s is %s", path,
				 all->v[*found].name, why_not(&all->v[*found]));
	return NULL;
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

static bool ask_function(size_t *found, const struct function_list *all,
			 const char *path)
{
	size_t shown[256], n = 0, answer;
	char text[64], *end;

	printf("%s has several functions:\n", path);
	for (size_t i = 0; i < all->n && n < ARRAY_SIZE(shown); i++) {
		cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

		if (why_not(&all->v[i]))
			continue;
		shown[n++] = i;
		add_signature(&line, &all->v[i]);
		printf("%4zu  %s\n", n, line.data);
	}
	do {
		if (!read_answer(text, sizeof text, "which is it? (a number)"))
			return false;
		answer = strtoul(text, &end, 10);
	} while (!answer || answer > n || *end);
	*found = shown[answer - 1];
	return true;
}

struct error *choose_function(struct prototype *out, struct function_list *all,
			      const char *path, const char *entry, bool ask)
{
	size_t found = 0, n;

	if (entry) {
		TRY(by_name(&found, all, path, entry));
	} else {
		n = count(all, path, &found);
		if (!n)
			return none(all, path);
		if (n > 1 && !(ask && ask_function(&found, all, path)))
			return several(all, path);
	}
	if (all->v[found].too_many)
		return error_new(ERROR_TOO_BIG,
				 "%s: %s has more than %d parameters", path,
				 all->v[found].name, TASK_MAX_ARGS);
	*out = all->v[found];
	all->v[found] = (struct prototype){0};
	return NULL;
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
