#include "cmd/dispatch/scan.h"

#include <ctype.h>

#include "core/task/token.h"

struct scan {
	struct scanned *out;
	const char *p, *entry;
	bool is_cxx;
	size_t depth;	 /* of braces; those of extern "C" do not count */
	size_t in_block; /* of extern "C" */
};

/* ---- directives ------------------------------------------------------------ */

bool directive_is(struct span d, const char *name, const char **rest)
{
	const char *p = d.at + 1, *end = d.at + d.len;
	size_t len = strlen(name);

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if ((size_t)(end - p) < len || memcmp(p, name, len) != 0 ||
	    (p + len < end && is_word_char(p[len])))
		return false;
	p += len;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (rest)
		*rest = p;
	return true;
}

/* To the end of the line, which a backslash continues. */
static const char *end_of_line(const char *s)
{
	while (*s && *s != '\n')
		s += s[0] == '\\' && s[1] ? 2 : 1;
	return s;
}

static void add_directive(struct scan *w, const char *from, const char *to)
{
	struct scanned *s = w->out;
	struct directive d = {.text = {from, (size_t)(to - from)}};
	const char *name;
	size_t len = 0;

	d.is_include = !w->depth && directive_is(d.text, "include", NULL);
	GROW(s->directive, s->n_directives, s->cap_directives);
	s->directive[s->n_directives++] = d;
	if (!directive_is(d.text, "define", &name))
		return;
	while (name + len < to && is_word_char(name[len]))
		len++;
	strvec_pushf(&s->macros, "%.*s", (int)len, name);
}

/* The directives among the blanks and comments before a token. */
static void find_directives(struct scan *w, const char *s, const char *end)
{
	while (s < end) {
		const char *from = s;

		if (s[0] == '/' && s[1] == '*') {
			s = strstr(s + 2, "*/");
			s = s ? s + 2 : end;
		} else if (*s == '#' || *s == '/') {
			s = end_of_line(s);
			if (*from == '#')
				add_directive(w, from, s);
		} else {
			s++;
		}
	}
}

static struct token next(struct scan *w)
{
	const char *from = w->p;
	struct token t = token_next(&w->p);

	find_directives(w, from, t.len ? t.at : w->p);
	return t;
}

/* Moves past the bracket that closes the one just read; returns where it
 * stands, NULL if nothing closes it. */
static const char *skip_nested(struct scan *w, char open, char close)
{
	size_t depth = 1;
	struct token t;

	w->depth++;
	while (depth && (t = next(w)).len) {
		depth += *t.at == open;
		depth -= *t.at == close;
	}
	w->depth--;
	return depth ? NULL : t.at;
}

/* ---- statements ------------------------------------------------------------ */

/* Words that no statement defines. */
static bool is_keyword(struct token t)
{
	static const char words[] =
		" void char short int long float double signed unsigned bool "
		"_Bool const volatile restrict __restrict __restrict__ static "
		"inline __inline __inline__ extern typedef struct union enum "
		"register auto constexpr template typename class namespace "
		"using operator __global__ __device__ __host__ __shared__ "
		"__constant__ __forceinline__ __noinline__ __extension__ "
		"_Complex _Thread_local _Noreturn noexcept ";
	cleanup_free char *word = xasprintf(" %.*s ", (int)t.len, t.at);

	return strstr(words, word) != NULL;
}

/* Words with brackets that belong to what follows or stands before. */
static bool is_attribute(struct token t)
{
	static const char words[] =
		" __attribute__ __attribute __declspec __launch_bounds__ "
		"__align__ __cluster_dims__ _Alignas alignas _Static_assert "
		"static_assert __asm__ asm __asm decltype typeof __typeof__ "
		"_Pragma requires explicit ";
	cleanup_free char *word = xasprintf(" %.*s ", (int)t.len, t.at);

	return strstr(words, word) != NULL;
}

static bool is_macro(const struct scan *w, struct token t)
{
	cleanup_free char *word = xstrndup(t.at, t.len);

	return strvec_has(&w->out->macros, word);
}

struct scan_statement {
	const char *begin;
	struct token word; /* the last that could be what is declared */
	struct token function;
	struct span parameters;
	bool is_extern, is_c; /* extern, extern "C" */
	bool is_assigned;     /* behind the "=" of a declarator */
	bool is_enum, is_aggregate;
	bool is_pointer; /* the word is that of "(*word)" */
	bool skips;	 /* the next brackets are an attribute's */
};

static void note(struct scan *w, const struct scan_statement *s, struct token t)
{
	cleanup_free char *word = xstrndup(t.len ? t.at : "", t.len);

	if (!t.len || (w->is_cxx && !s->is_c && !w->in_block) ||
	    strvec_has(&w->out->names, word))
		return;
	strvec_push(&w->out->names, word);
}

/* A variable or a type; of what is extern the definition is elsewhere. */
static void note_word(struct scan *w, struct scan_statement *s)
{
	if (!s->is_assigned && !s->is_extern && !s->function.len)
		note(w, s, s->word);
	s->word = (struct token){0};
	s->is_pointer = false;
}

static bool read_enumerators(struct scan *w, struct scan_statement *s)
{
	bool is_name = true;
	struct token t;

	while ((t = next(w)).len && !token_is(t, "}")) {
		if (token_is_word(t) && is_name)
			note(w, s, t);
		is_name = token_is(t, ",");
		if (token_is(t, "(") && !skip_nested(w, '(', ')'))
			return false;
	}
	return t.len;
}

/* Behind the directives in it, which may be one half of an #if. */
static const char *begin_of(const struct scan *w,
			    const struct scan_statement *s)
{
	const struct scanned *out = w->out;
	const char *begin = s->begin;

	for (size_t i = 0; i < out->n_directives; i++) {
		struct span d = out->directive[i].text;

		if (d.at >= begin && d.at < s->function.at)
			begin = d.at + d.len;
	}
	while (isspace((unsigned char)*begin))
		begin++;
	return begin;
}

static void found_function(struct scan *w, const struct scan_statement *s)
{
	struct scanned *out = w->out;
	const char *begin;

	note(w, s, s->function);
	if (!token_is(s->function, w->entry) || out->has_entry)
		return;
	out->has_entry = true;
	begin = begin_of(w, s);
	out->before = (struct span){begin, (size_t)(s->function.at - begin)};
	out->parameters = s->parameters;
	out->is_in_block = w->in_block || (s->is_c && begin > s->begin);
}

/* After "{". *ends: the statement, too. False: nothing closes it. */
static bool read_braces(bool *ends, struct scan *w, struct scan_statement *s)
{
	bool is_body = s->function.len && !s->is_assigned;

	*ends = is_body || (!s->is_assigned && !s->is_aggregate);
	if (is_body)
		found_function(w, s);
	else if (s->is_aggregate && !s->is_assigned)
		note(w, s, s->word);
	if (*ends && !is_body && s->is_c) {
		w->in_block++;
		return true;
	}
	s->word = (struct token){0};
	if (s->is_enum && !s->is_assigned && !is_body)
		return read_enumerators(w, s);
	return skip_nested(w, '{', '}');
}

/* "name" in "*name", "*const name[4]"; of others nothing. */
static struct token pointer_name(const char *p, const char *end)
{
	struct token t = token_next(&p), name = {0};

	if (!token_is(t, "*"))
		return name;
	while ((t = token_next(&p)).len && t.at < end && !token_is(t, "[")) {
		if (token_is(t, "("))
			return (struct token){0};
		if (token_is_word(t) && !is_keyword(t))
			name = t;
	}
	return name;
}

static bool read_round(struct scan *w, struct scan_statement *s)
{
	const char *begin = w->p, *end = skip_nested(w, '(', ')');
	bool declares = end && !s->skips && !s->is_assigned &&
			!s->function.len && !s->is_pointer &&
			!(s->word.len && is_macro(w, s->word));
	struct token pointer = {0};

	if (declares)
		pointer = pointer_name(begin, end);
	if (pointer.len) {
		s->word = pointer;
		s->is_pointer = true;
	} else if (declares && s->word.len) {
		s->function = s->word;
		s->parameters = (struct span){begin, (size_t)(end - begin)};
	}
	s->skips = false;
	return end;
}

static void read_word(struct scan_statement *s, struct token t)
{
	s->is_enum |= token_is(t, "enum");
	s->is_aggregate |= token_is(t, "struct") || token_is(t, "union") ||
			   token_is(t, "enum") || token_is(t, "class");
	s->is_extern |= token_is(t, "extern");
	if (is_attribute(t))
		s->skips = true;
	else if (!is_keyword(t) && !s->is_assigned)
		s->word = t;
}

/* One token of a statement. False: a bracket is not closed. */
static bool read_token(bool *ends, struct scan *w, struct scan_statement *s,
		       struct token t)
{
	switch (*t.at) {
	case ';':
		note_word(w, s);
		*ends = true;
		return true;
	case ',':
		note_word(w, s);
		s->is_assigned = false;
		return true;
	case '=':
		s->is_extern = false;
		note_word(w, s);
		s->is_assigned = true;
		return true;
	case '{':
		return read_braces(ends, w, s);
	case '(':
		return read_round(w, s);
	case '[':
		note_word(w, s);
		return skip_nested(w, '[', ']');
	case '"':
		s->is_c |= s->is_extern && token_is(t, "\"C\"");
		s->is_extern &= !s->is_c;
		return true;
	default:
		if (token_is_word(t))
			read_word(s, t);
		return true;
	}
}

static bool read_statement(struct scan *w, struct token t)
{
	struct scan_statement s = {.begin = t.at};
	bool ends = false;

	for (; t.len; t = next(w)) {
		if (!read_token(&ends, w, &s, t))
			return false;
		if (ends)
			return true;
	}
	return false;
}

struct error *scan_source(struct scanned *out, const char *text,
			  const char *entry, bool is_cxx)
{
	struct scan w = {
		.out = out, .p = text, .entry = entry, .is_cxx = is_cxx};
	struct token t;

	while ((t = next(&w)).len) {
		if (token_is(t, "}") && w.in_block)
			w.in_block--;
		else if (!token_is(t, ";") && !read_statement(&w, t))
			return error_new(ERROR_REFUSED,
					 "its brackets do not match where "
					 "every branch of an #if counts");
	}
	return NULL;
}

void scanned_release(struct scanned *s)
{
	strvec_release(&s->names);
	strvec_release(&s->macros);
	free(s->directive);
	*s = (struct scanned){0};
}
