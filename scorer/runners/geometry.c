#include "scorer/runners/geometry.h"

#include <ctype.h>
#include <errno.h>

#define MARK "// avogit-launch:"
#define HOW  "write `" MARK " groups=(N)`, with up to three numbers"

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t\r");
}

static size_t word_length(const char *s)
{
	size_t n = 0;

	while (is_word_char(s[n]))
		n++;
	return n;
}

static void add_macro(struct geometry *g, const char *name, size_t length,
		      int64_t value)
{
	size_t cap = g->macros_cap;

	GROW(g->macros.name, g->macros.n, g->macros_cap);
	GROW(g->macros.value, g->macros.n, cap);
	g->macros.name[g->macros.n] = xstrndup(name, length);
	g->macros.value[g->macros.n++] = value;
}

/* `#define NAME NUMBER`, and nothing after it but a comment. */
static void read_macro(struct geometry *g, const char *line)
{
	const char *s = skip_blanks(line), *name, *digits;
	size_t length;
	long long value;
	char *end;

	if (*s++ != '#')
		return;
	s = skip_blanks(s);
	if (!starts_with(s, "define"))
		return;
	name = skip_blanks(s + strlen("define"));
	length = word_length(name);
	digits = skip_blanks(name + length);
	if (!length || digits == name + length || !isdigit(*digits))
		return;
	errno = 0;
	value = strtoll(digits, &end, 0);
	end += strspn(end, "uUlL");
	end += strspn(end, " \t\r");
	if (!errno &&
	    (!*end || starts_with(end, "//") || starts_with(end, "/*")))
		add_macro(g, name, length, value);
}

/* Up to the comma or the bracket that ends this number. */
static size_t number_length(const char *s)
{
	size_t n = 0, depth = 0;

	for (; s[n]; n++) {
		if (!depth && (s[n] == ',' || s[n] == ')'))
			break;
		if (s[n] == '(')
			depth++;
		else if (s[n] == ')')
			depth--;
	}
	return n;
}

static struct error *read_groups(struct geometry_line *l, const char *s)
{
	while (l->n < ARRAY_SIZE(l->groups)) {
		size_t length = number_length(s);
		cleanup_free char *text = xstrndup(s, length);

		TRY(expr_parse(&l->groups[l->n], text));
		l->n++;
		s += length;
		if (*s++ != ',')
			break;
	}
	s--;
	if (*s != ')' || *skip_blanks(s + 1))
		return error_new(ERROR_TASK, HOW);
	return NULL;
}

static struct error *read_launch(struct geometry *g, const char *s)
{
	struct geometry_line *l;
	size_t length;

	GROW(g->line, g->n, g->cap);
	l = &g->line[g->n++];
	*l = (struct geometry_line){0};
	s = skip_blanks(s);
	length = starts_with(s, "groups=") ? 0 : word_length(s);
	l->kernel = xstrndup(s, length);
	s = skip_blanks(s + length);
	if (!starts_with(s, "groups=("))
		return error_new(ERROR_TASK, HOW);
	return read_groups(l, s + strlen("groups=("));
}

struct error *geometry_read(struct geometry *g, const char *source,
			    const char *path)
{
	for (unsigned number = 1; *source; number++) {
		size_t length = strcspn(source, "\n");
		cleanup_free char *line = xstrndup(source, length);
		const char *at = skip_blanks(line);

		if (starts_with(at, MARK))
			TRY(error_wrap(read_launch(g, at + strlen(MARK)),
				       "%s:%u", path, number));
		else
			read_macro(g, line);
		source += length + (source[length] == '\n');
	}
	return NULL;
}

/* The arguments of the launch, then the macros, of which the last one of a name
 * is asked for first. */
static struct symbols all_symbols(const struct geometry *g,
				  const struct symbols *values)
{
	struct symbols all = {0};
	size_t n = values->n + g->macros.n;

	all.name = xcalloc(n + 1, sizeof *all.name);
	all.value = xcalloc(n + 1, sizeof *all.value);
	for (size_t i = 0; i < values->n; i++) {
		all.name[all.n] = values->name[i];
		all.value[all.n++] = values->value[i];
	}
	for (size_t i = g->macros.n; i-- > 0;) {
		all.name[all.n] = g->macros.name[i];
		all.value[all.n++] = g->macros.value[i];
	}
	return all;
}

static struct error *evaluate(uint32_t groups[3], const struct geometry_line *l,
			      const struct symbols *all)
{
	for (size_t i = 0; i < 3; i++) {
		int64_t n = 1;

		if (i < l->n)
			TRY(expr_eval(&n, l->groups[i], all));
		if (n < 1 || n > INT32_MAX)
			return error_new(ERROR_TASK,
					 "%lld work-groups cannot be launched "
					 "('%s'): from 1 to 2147483647 can",
					 (long long)n, expr_text(l->groups[i]));
		groups[i] = (uint32_t)n;
	}
	return NULL;
}

struct error *geometry_groups(uint32_t groups[3], const struct geometry *g,
			      size_t line, const struct symbols *values)
{
	struct symbols all = all_symbols(g, values);
	struct error *err = evaluate(groups, &g->line[line], &all);

	free(all.name);
	free(all.value);
	return err;
}

void geometry_release(struct geometry *g)
{
	for (size_t i = 0; i < g->n; i++) {
		free(g->line[i].kernel);
		for (size_t k = 0; k < g->line[i].n; k++)
			expr_free(g->line[i].groups[k]);
	}
	for (size_t i = 0; i < g->macros.n; i++)
		free(g->macros.name[i]);
	free(g->macros.name);
	free(g->macros.value);
	free(g->line);
	*g = (struct geometry){0};
}
