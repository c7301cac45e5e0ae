/* Replaces an exact text that occurs exactly once. Without a match, the reply
 * shows the most similar place. */
#include "agent/tools/internal.h"

#define EDIT_MAX   ((size_t)2 << 20)
#define LINES_MAX  100000
#define PLACES_MAX 20
/* Limits of the comparison: lines of `old`, and bytes of each line. */
#define PROBE_LINES 60
#define PROBE_BYTES 200

#define BLANKS " \t\r\n"

struct lines {
	struct {
		const char *s;
		size_t len;
	} * line;
	size_t n, cap;
};

static void lines_release(struct lines *l)
{
	free(l->line);
}
DEFINE_RELEASE(lines, struct lines, lines_release)

static void split(struct lines *out, const char *text)
{
	while (*text && out->n < LINES_MAX) {
		size_t len = strcspn(text, "\n");

		GROW(out->line, out->n, out->cap);
		out->line[out->n].s = text;
		out->line[out->n++].len = len;
		text += len + (text[len] == '\n');
	}
}

/* ---- similarity ---------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Are the texts equal when white space is ignored? */
static bool same_words(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t i = 0, j = 0;

	for (;;) {
		while (i < a_len && is_blank(a[i]))
			i++;
		while (j < b_len && is_blank(b[j]))
			j++;
		if (i == a_len || j == b_len)
			return i == a_len && j == b_len;
		if (a[i++] != b[j++])
			return false;
	}
}

static bool same_line(const struct lines *a, size_t i, const struct lines *b,
		      size_t j)
{
	return a->line[i].len == b->line[j].len &&
	       memcmp(a->line[i].s, b->line[j].s, a->line[i].len) == 0;
}

/* 4: equal; 3: equal except for white space; else 0 to 2, by how much of the
 * beginning and end is equal. */
static unsigned likeness(const struct lines *a, size_t i, const struct lines *b,
			 size_t j)
{
	size_t m = MIN(a->line[i].len, (size_t)PROBE_BYTES);
	size_t n = MIN(b->line[j].len, (size_t)PROBE_BYTES);
	size_t same = 0, least = MIN(m, n);

	if (same_line(a, i, b, j))
		return 4;
	if (same_words(a->line[i].s, m, b->line[j].s, n))
		return 3;
	while (same < least && a->line[i].s[same] == b->line[j].s[same])
		same++;
	for (size_t k = 0; same < least && k + same < least &&
			   a->line[i].s[m - 1 - k] == b->line[j].s[n - 1 - k];)
		k++, least--;
	same += MIN(m, n) - least;
	return same * 4 >= 3 * MAX(m, n) ? 2 : same * 2 >= MAX(m, n) ? 1 : 0;
}

/* Finds `old`, ignoring white space; the place can begin and end inside a line.
 * NULL: not found. *end is after the place. */
static const char *find_loosely(const char **end, const char *text,
				const char *old)
{
	old += strspn(old, BLANKS);
	for (; *old && (text = strchr(text, *old)); text++) {
		const char *p = text, *q = old;

		while (*p && *q && *p == *q) {
			p++;
			q++;
			p += strspn(p, BLANKS);
			q += strspn(q, BLANKS);
		}
		*end = p;
		if (!*q)
			return text;
	}
	return NULL;
}

/* Finds the line of `text` where `old` fits best; false if none is similar. */
static bool nearest(size_t *at, const struct lines *text,
		    const struct lines *old)
{
	size_t n = MIN(old->n, (size_t)PROBE_LINES);
	unsigned best = 0;

	for (size_t i = 0; i < text->n; i++) {
		unsigned sum = 0;

		for (size_t j = 0; j < n && i + j < text->n; j++)
			sum += likeness(text, i + j, old, j);
		if (sum > best) {
			best = sum;
			*at = i;
		}
	}
	return best >= n;
}

/* ---- replies ------------------------------------------------------------- */

static void add_difference(struct buf *out, const struct lines *text, size_t at,
			   const struct lines *old)
{
	bool only_blanks = true;
	size_t first = old->n;

	for (size_t j = 0; j < old->n; j++) {
		if (at + j >= text->n) {
			only_blanks = false;
			first = MIN(first, j);
			break;
		}
		if (same_line(text, at + j, old, j))
			continue;
		first = MIN(first, j);
		only_blanks = only_blanks &&
			      same_words(text->line[at + j].s,
					 text->line[at + j].len, old->line[j].s,
					 old->line[j].len);
	}
	if (first == old->n)
		buf_adds(out, "The lines agree, but not where they begin or "
			      "end");
	else if (only_blanks)
		buf_addf(out,
			 "It differs in white space only, first in line %zu",
			 at + first + 1);
	else
		buf_addf(out, "It differs first in line %zu", at + first + 1);
	buf_adds(out, ". What is there:\n");
}

static size_t line_at(const char *text, const char *p)
{
	size_t n = 1;

	for (; text < p; text++)
		n += *text == '\n';
	return n;
}

/* Adds the lines from that of `from` to that of `to`. */
static void add_place(struct buf *out, const char *file, const char *from,
		      const char *to)
{
	size_t first = line_at(file, from), last = line_at(file, to - 1);
	CLEANUP(lines) struct lines text = {0};

	split(&text, file);
	for (size_t i = first; i <= MIN(last, text.n); i++)
		buf_addf(out, "%6zu\t%.*s\n", i,
			 (int)MIN(text.line[i - 1].len, (size_t)TOOL_LINE_MAX),
			 text.line[i - 1].s);
}

static void miss(struct tool_reply *out, const char *path, const char *file,
		 const char *old)
{
	const char *end, *place = find_loosely(&end, file, old);
	CLEANUP(lines) struct lines text = {0}, wanted = {0};
	size_t at = 0;

	tool_fail(out, "`old` is not in %.200s. ", path);
	if (place) {
		buf_addf(&out->text,
			 "It differs in white space only, from line %zu. "
			 "What is there:\n",
			 line_at(file, place));
		add_place(&out->text, file, place, end);
		return;
	}
	split(&text, file);
	split(&wanted, old);
	if (!nearest(&at, &text, &wanted)) {
		buf_adds(&out->text, "Nothing there is like it: view the file "
				     "again.\n");
		return;
	}
	add_difference(&out->text, &text, at, &wanted);
	for (size_t i = at; i < MIN(at + wanted.n, text.n); i++)
		buf_addf(&out->text, "%6zu\t%.*s\n", i + 1,
			 (int)MIN(text.line[i].len, (size_t)TOOL_LINE_MAX),
			 text.line[i].s);
}

static void ambiguous(struct tool_reply *out, const char *path,
		      const char *text, const char *old)
{
	size_t n = 0;

	tool_fail(out, "`old` is more than once in %.200s, at lines", path);
	for (const char *p = text; (p = strstr(p, old)); p++, n++)
		if (n < PLACES_MAX)
			buf_addf(&out->text, "%s %zu", n ? "," : "",
				 line_at(text, p));
	if (n > PLACES_MAX)
		buf_addf(&out->text, " and %zu more", n - PLACES_MAX);
	buf_adds(&out->text, ": give more of what is round the one you "
			     "mean\n");
}

/* ---- the tool ------------------------------------------------------------ */

static struct error *replace(struct tool_reply *out, struct toolbox *b,
			     const char *path, const struct buf *text,
			     const char *at, size_t old_len, const char *new)
{
	cleanup_buf struct buf result = BUF_INIT(EDIT_MAX);
	size_t line = line_at(text->data, at);

	buf_add(&result, text->data, (size_t)(at - text->data));
	buf_adds(&result, new);
	buf_adds(&result, at + old_len);
	if (result.truncated)
		return error_new(ERROR_TOO_BIG, "a source is at most %zu MiB",
				 EDIT_MAX >> 20);
	TRY(folder_write(b->dir, path, result.data, result.len, false));
	buf_addf(&out->text, "edited %s at line %zu\n", path, line);
	return NULL;
}

TOOL_FUNCTION(tool_edit)
{
	const char *path = tool_string(arguments, "path");
	const char *old = tool_string(arguments, "old");
	const char *new = tool_string(arguments, "new");
	cleanup_buf struct buf text = BUF_INIT(EDIT_MAX);
	struct error *err;
	const char *at;

	if (!tool_may_write(out, b, path))
		return NULL;
	if (!*old || str_eq(old, new)) {
		tool_fail(out, *old ? "`old` and `new` are the same"
				    : "`old` is empty: write makes a file");
		return NULL;
	}
	err = folder_read(&text, b->dir, path);
	if (err)
		return tool_mend(out, err);
	if (strlen(text.data) != text.len) {
		tool_fail(out,
			  "%s is not text (it has NUL bytes): write it "
			  "again",
			  path);
		return NULL;
	}
	at = strstr(text.data, old);
	if (!at)
		miss(out, path, text.data, old);
	else if (strstr(at + 1, old))
		ambiguous(out, path, text.data, old);
	else
		return tool_mend(out, replace(out, b, path, &text, at,
					      strlen(old), new));
	return NULL;
}
