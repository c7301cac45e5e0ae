#include "core/score/note_lines.h"

#include <ctype.h>

#include "core/base/text.h"

void note_lines_release(struct note_lines *l)
{
	free(l->v);
	*l = (struct note_lines){.n = 0};
}

static bool note_line_is_measured(const struct note_line *l)
{
	const char *rank = l->text + MEASUREMENT_ID_LEN + 1;

	if (l->len < MEASUREMENT_ID_LEN + 4 ||
	    !measurement_is_id(l->text, MEASUREMENT_ID_LEN) || rank[-1] != ' ')
		return false;
	for (size_t i = 0; i < 3; i++)
		if (!isdigit((unsigned char)rank[i]))
			return false;
	return l->len == MEASUREMENT_ID_LEN + 4 || rank[3] == ' ';
}

void note_lines_add(struct note_lines *to, const char *text, size_t len,
		    bool measured)
{
	const char *end = text + len;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		struct note_line l = {text,
				      (size_t)((stop ? stop : end) - text)};

		text += l.len + 1;
		if (!l.len || (measured && !note_line_is_measured(&l)))
			continue;
		GROW(to->v, to->n, to->cap);
		to->v[to->n++] = l;
	}
}

static int compare(const void *a, const void *b)
{
	const struct note_line *x = a, *y = b;
	int order = memcmp(x->text, y->text, MIN(x->len, y->len));

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

void note_lines_sort(struct note_lines *l)
{
	size_t n = 0;

	if (!l->n)
		return;
	qsort(l->v, l->n, sizeof *l->v, compare);
	for (size_t i = 0; i < l->n; i++)
		if (!n || compare(&l->v[i], &l->v[n - 1]) != 0)
			l->v[n++] = l->v[i];
	l->n = n;
}

/* For sorted lines: the index after those with the id of line `i`, or after
 * line i if it belongs to no measurement; *bytes is their size. */
static size_t note_lines_group(const struct note_lines *l, size_t i,
			       size_t *bytes)
{
	const char *id = l->v[i].text;
	bool measured = note_line_is_measured(&l->v[i]);

	*bytes = 0;
	do {
		*bytes += l->v[i].len + 1;
		i++;
	} while (measured && i < l->n && note_line_is_measured(&l->v[i]) &&
		 memcmp(l->v[i].text, id, MEASUREMENT_ID_LEN) == 0);
	return i;
}

static bool is_kept(const struct note_line *l, const char *keep)
{
	return keep && note_line_is_measured(l) &&
	       memcmp(l->text, keep, MEASUREMENT_ID_LEN) == 0;
}

/* A line of length 0 is left out. */
static void leave_out(struct note_lines *l, size_t i, size_t end)
{
	for (; i < end; i++)
		l->v[i].len = 0;
}

static void close_up(struct note_lines *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].len)
			l->v[n++] = l->v[i];
	l->n = n;
}

/* Leaves out lines, in their order, until `too_many` bytes are gone; lines of
 * measurements only if `measured`. Returns the bytes still too many. */
static size_t shed(struct note_lines *l, size_t too_many, const char *keep,
		   bool measured)
{
	size_t bytes, end;

	for (size_t i = 0; i < l->n && too_many; i = end) {
		bool sound;

		end = note_lines_group(l, i, &bytes);
		sound = note_line_is_measured(&l->v[i]) &&
			bytes <= NOTE_MEASUREMENT_MAX;
		if (is_kept(&l->v[i], keep) || (sound && !measured))
			continue;
		leave_out(l, i, end);
		too_many -= MIN(bytes, too_many);
	}
	close_up(l);
	return too_many;
}

void note_lines_fit(struct note_lines *l, size_t limit, const char *keep)
{
	size_t total = 0, too_many;

	for (size_t i = 0; i < l->n; i++)
		total += l->v[i].len + 1;
	too_many = total > limit ? total - limit : 0;
	too_many = shed(l, too_many, keep, false);
	shed(l, too_many, keep, true);
}

void note_lines_write(struct buf *out, const struct note_lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		buf_add(out, l->v[i].text, l->v[i].len);
		buf_addc(out, '\n');
	}
}

/* ---- the words of a line -------------------------------------------------- */

bool note_word_is_plain(const char *s)
{
	return *s && !strpbrk(s, " \t\r\n\"\\");
}

void note_word_add(struct buf *line, const char *key, const char *value)
{
	cleanup_buf struct buf text = BUF_INIT(NOTE_MEASUREMENT_MAX);

	text_add_lines(&text, value, strlen(value));
	buf_addf(line, " %s=", key);
	if (note_word_is_plain(text.data)) {
		buf_adds(line, text.data);
		return;
	}
	buf_addc(line, '"');
	for (const char *c = text.data; *c; c++) {
		if (*c == '\n')
			buf_adds(line, "\\n");
		else if (*c == '"' || *c == '\\')
			buf_addf(line, "\\%c", *c);
		else
			buf_addc(line, *c);
	}
	buf_addc(line, '"');
}

/* key=value or key="va\"lue". */
static bool take_word(const char **p, struct buf *key, struct buf *value)
{
	const char *s = *p + strspn(*p, " \t");
	size_t len = strcspn(s, "= \t\r\"\\");

	buf_clear(key);
	buf_clear(value);
	if (!len || s[len] != '=')
		return false;
	buf_add(key, s, len);
	s += len + 1;
	if (*s != '"') {
		len = strcspn(s, " \t");
		buf_add(value, s, len);
		*p = s + len;
		return true;
	}
	for (s++; *s && *s != '"'; s++) {
		bool escaped = *s == '\\' && s[1];

		s += escaped;
		buf_addc(value, escaped && *s == 'n' ? '\n' : *s);
	}
	*p = *s ? s + 1 : s;
	return true;
}

static void make_clean(struct buf *b)
{
	cleanup_buf struct buf clean = BUF_INIT(b->limit);

	text_add_lines(&clean, b->data, b->len);
	buf_clear(b);
	buf_add(b, clean.data, clean.len);
}

bool note_word_take(const char **p, struct buf *key, struct buf *value)
{
	if (!take_word(p, key, value))
		return false;
	make_clean(key);
	make_clean(value);
	return *key->data;
}
