#include "cmd/dispatch/join.h"

#include "core/task/token.h"

/* ---- the entry --------------------------------------------------------------- */

static bool add_name(struct strvec *names, struct token t)
{
	if (t.len && !token_is(t, "void"))
		strvec_pushf(names, "%.*s", (int)t.len, t.at);
	return t.len;
}

/* The name is the last word of a parameter before its dimensions. */
bool join_parameters(struct strvec *names, const struct scanned *s)
{
	const char *p = s->parameters.at, *end = p + s->parameters.len;
	struct token t, name = {0};
	bool has_name = false, is_empty = true;

	while ((t = token_next(&p)).len && t.at < end) {
		is_empty = false;
		if (token_is(t, "("))
			return false;
		if (token_is(t, ",")) {
			if (!add_name(names, name))
				return false;
			name = (struct token){0};
			has_name = false;
		} else if (token_is(t, "[")) {
			has_name = true;
		} else if (token_is_word(t) && !has_name) {
			name = t;
		}
	}
	return is_empty || add_name(names, name);
}

/* ---- includes ---------------------------------------------------------------- */

static void add_span(struct buf *out, struct span s)
{
	buf_add(out, s.at, s.len);
	buf_addc(out, '\n');
}

/* One more than the last include of a file's scope; 0: there is none. */
static size_t end_of_includes(const struct scanned *s)
{
	size_t end = s->n_directives;

	while (end && !s->directive[end - 1].is_include)
		end--;
	return end;
}

static bool is_option(struct span d)
{
	const char *rest;

	return directive_is(d, "pragma", &rest) &&
	       (starts_with(rest, "GCC optimize") ||
		starts_with(rest, "GCC target"));
}

/* What a point asks of the compiler is for it alone. */
static void add_options(struct buf *out, const struct scanned *s,
			const char *what)
{
	for (size_t i = 0; i < s->n_directives; i++)
		if (is_option(s->directive[i].text)) {
			buf_addf(out, "#pragma GCC %s_options\n", what);
			return;
		}
}

static void forget_macros(struct buf *out, const struct strvec *macros)
{
	for (size_t i = 0; i < macros->n; i++)
		buf_addf(out, "#undef %s\n", macros->v[i]);
}

/* The directives up to the last include: what they define and ask for decides
 * what is included, and how. */
static void add_directives(struct buf *out, const struct scanned *s)
{
	size_t end = end_of_includes(s), open = 0;

	for (size_t i = 0; i < end; i++) {
		struct span d = s->directive[i].text;

		open += directive_is(d, "if", NULL) ||
			directive_is(d, "ifdef", NULL) ||
			directive_is(d, "ifndef", NULL);
		open -= open && directive_is(d, "endif", NULL);
		add_span(out, d);
	}
	for (; open; open--)
		buf_adds(out, "#endif\n");
}

static void add_includes(struct buf *out, const struct scanned *s)
{
	if (!end_of_includes(s))
		return;
	add_options(out, s, "push");
	add_directives(out, s);
	forget_macros(out, &s->macros);
	add_options(out, s, "pop");
}

/* A header of the project, or whatever a macro names. */
static bool has_own_include(const struct scanned *s)
{
	const char *rest;

	for (size_t i = 0; i < s->n_directives; i++)
		if (directive_is(s->directive[i].text, "include", &rest) &&
		    *rest != '<')
			return true;
	return false;
}

bool join_includes_agree(const struct scanned *a, const struct scanned *b)
{
	cleanup_buf struct buf of_a = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf of_b = BUF_INIT(BUF_LIMIT_TEXT);

	if (!has_own_include(a) && !has_own_include(b))
		return true;
	add_directives(&of_a, a);
	add_directives(&of_b, b);
	return of_a.len == of_b.len &&
	       (!of_a.len || memcmp(of_a.data, of_b.data, of_a.len) == 0);
}

/* Includes stand before all points, where no name is changed. */
static void add_all_includes(struct buf *out, const struct join *j)
{
	for (size_t i = 0; i < j->n; i++) {
		cleanup_buf struct buf now = BUF_INIT(BUF_LIMIT_TEXT);
		cleanup_buf struct buf first = BUF_INIT(BUF_LIMIT_TEXT);

		add_includes(&now, &j->point[i].scanned);
		add_includes(&first, &j->point[0].scanned);
		if (i && now.len == first.len &&
		    memcmp(now.data, first.data, now.len) == 0)
			continue;
		buf_add(out, now.data, now.len);
	}
	buf_addc(out, '\n');
}

/* ---- points ------------------------------------------------------------------- */

static void add_text(struct buf *out, const struct join_point *p)
{
	const char *from = p->text;

	for (size_t i = 0; i < p->scanned.n_directives; i++) {
		const struct directive *d = &p->scanned.directive[i];

		if (!d->is_include)
			continue;
		buf_add(out, from, (size_t)(d->text.at - from));
		from = d->text.at + d->text.len;
	}
	buf_adds(out, from);
}

static void add_point(struct buf *out, const struct join *j, size_t i)
{
	const struct join_point *p = &j->point[i];
	const struct strvec *names = &p->scanned.names;

	buf_addf(out, "/* ---- point %zu: %s ---- */\n\n", i + 1, p->label);
	add_options(out, &p->scanned, "push");
	for (size_t k = 0; k < names->n; k++)
		buf_addf(out, "#define %s %s_point%zu\n", names->v[k],
			 names->v[k], i + 1);
	if (j->is_cxx)
		buf_addf(out, "namespace point%zu {\n", i + 1);
	add_text(out, p);
	add_options(out, &p->scanned, "pop");
	/* The entry's parameters are said in the last point's words. */
	if (i + 1 == j->n) {
		buf_addf(out, "#undef %s\n\n", j->entry);
		return;
	}
	if (j->is_cxx)
		buf_adds(out, "}\n");
	forget_macros(out, names);
	forget_macros(out, &p->scanned.macros);
	buf_addc(out, '\n');
}

/* ---- the choice ---------------------------------------------------------------- */

static bool returns_nothing(const struct scanned *s)
{
	const char *p = s->before.at, *end = p + s->before.len;
	bool is_void = false;
	struct token t;

	while ((t = token_next(&p)).len && t.at < end) {
		is_void |= token_is(t, "void");
		if (token_is(t, "*"))
			return false;
	}
	return is_void;
}

static void indent(struct buf *out, size_t depth)
{
	while (depth--)
		buf_addc(out, '\t');
}

static void add_call(struct buf *out, const struct join *j, size_t point,
		     const struct strvec *parameters, size_t depth)
{
	const struct scanned *s = &j->point[point].scanned;

	indent(out, depth);
	buf_adds(out, returns_nothing(s) ? "" : "return ");
	if (j->is_cxx)
		buf_addf(out, "point%zu::", point + 1);
	buf_adds(out, j->entry);
	if (strvec_has(&s->names, j->entry))
		buf_addf(out, "_point%zu", point + 1);
	buf_addc(out, '(');
	for (size_t i = 0; i < parameters->n; i++)
		buf_addf(out, "%s%s", i ? ", " : "", parameters->v[i]);
	buf_adds(out, ");\n");
}

static void add_choice(struct buf *out, const struct join *j, size_t at,
		       const struct strvec *parameters, size_t depth)
{
	const struct split *s = &j->tree[at];

	if (s->is_leaf) {
		add_call(out, j, s->point, parameters, depth);
		return;
	}
	indent(out, depth);
	buf_addf(out, "if (%s <= %lld) {\n", j->value_names->v[s->value],
		 (long long)s->most);
	add_choice(out, j, s->below, parameters, depth + 1);
	indent(out, depth);
	buf_adds(out, "} else {\n");
	add_choice(out, j, s->above, parameters, depth + 1);
	indent(out, depth);
	buf_adds(out, "}\n");
}

/* A function with C linkage is the same in every namespace; another has to stand
 * outside, and sees the point's types from there. */
static void add_entry(struct buf *out, const struct join *j,
		      const struct strvec *parameters)
{
	const struct scanned *last = &j->point[j->n - 1].scanned;
	bool is_c = strvec_has(&last->names, j->entry);

	if (j->is_cxx && !is_c)
		buf_addf(out, "}\nusing namespace point%zu;\n\n", j->n);
	buf_adds(out, j->is_cxx && last->is_in_block ? "extern \"C\" " : "");
	buf_add(out, last->before.at, last->before.len);
	buf_addf(out, "%s(", j->entry);
	buf_add(out, last->parameters.at, last->parameters.len);
	buf_adds(out, ")\n{\n");
	add_choice(out, j, 0, parameters, 1);
	buf_adds(out, "}\n");
	if (j->is_cxx && is_c)
		buf_adds(out, "}\n");
}

void join_write(struct buf *out, const struct join *j,
		const struct strvec *parameters)
{
	add_all_includes(out, j);
	for (size_t i = 0; i < j->n; i++)
		add_point(out, j, i);
	buf_adds(out, "/* ---- which of them ---- */\n\n");
	add_entry(out, j, parameters);
}
