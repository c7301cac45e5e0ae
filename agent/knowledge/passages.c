#include "agent/knowledge/passages.h"

#include "core/base/utf8.h"

#include <ctype.h>

#define ENOUGH_WORDS 150 /* from here on an empty line ends a passage */
#define MOST_WORDS   300 /* from here on any line does */
#define MAX_LINE     1000
#define MAX_TITLE    160
#define LEVELS	     6

struct cutter {
	struct passages *out;
	enum document_kind kind;
	char *title[LEVELS]; /* current headings; NULL: none */
	struct buf text;
	size_t words;
	size_t line, first; /* numbers of this line and the passage's first */
	bool fence;	    /* inside ``` of Markdown */
};

static void add_heading(struct buf *out, const struct cutter *c)
{
	if (c->kind == DOCUMENT_SOURCE || c->kind == DOCUMENT_TEXT) {
		buf_addf(out, "lines %zu-%zu", c->first, c->line);
		return;
	}
	for (size_t i = 0; i < LEVELS; i++)
		if (c->title[i])
			buf_addf(out, "%s%s", out->len ? " > " : "",
				 c->title[i]);
}

/* Removes a character that a limit has cut in two. */
static void mend_end(struct buf *b)
{
	size_t i = b->len;

	while (i > 0 && b->len - i < 4 && (b->data[i - 1] & 0xc0) == 0x80)
		i--;
	if (i > 0 && (b->data[i - 1] & 0x80) &&
	    utf8_len(b->data + i - 1, b->len - i + 1) != b->len - i + 1) {
		b->len = i - 1;
		b->data[b->len] = '\0';
	}
}

static void flush(struct cutter *c)
{
	cleanup_buf struct buf heading = BUF_INIT(PASSAGE_MAX_HEADING);

	buf_trim_end(&c->text);
	if (c->words && c->out->n < PASSAGES_MAX) {
		add_heading(&heading, c);
		mend_end(&heading);
		GROW(c->out->v, c->out->n, c->out->cap);
		c->out->v[c->out->n++] =
			(struct passage){xstrndup(heading.data, heading.len),
					 xstrndup(c->text.data, c->text.len)};
	}
	buf_clear(&c->text);
	c->words = 0;
	c->first = c->line + 1;
}

static size_t count_words(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += !isspace((unsigned char)s[i]) &&
		     (i == 0 || isspace((unsigned char)s[i - 1]));
	return n;
}

/* Returns 1 to 6 for "# A heading", else 0. */
static size_t heading_level(const struct cutter *c, const char *s, size_t len)
{
	size_t n = 0;

	if (c->fence || c->kind == DOCUMENT_SOURCE || c->kind == DOCUMENT_TEXT)
		return 0;
	while (n < len && s[n] == '#')
		n++;
	return n <= LEVELS && n < len && s[n] == ' ' ? n : 0;
}

static void set_title(struct cutter *c, size_t level, const char *s, size_t len)
{
	cleanup_buf struct buf title = BUF_INIT(MAX_TITLE);

	while (len && (s[len - 1] == '#' || isspace((unsigned char)s[len - 1])))
		len--;
	while (len && isspace((unsigned char)*s))
		s++, len--;
	buf_add(&title, s, len);
	mend_end(&title);
	for (size_t i = level - 1; i < LEVELS; i++) {
		free(c->title[i]);
		c->title[i] = NULL;
	}
	c->title[level - 1] = xstrndup(title.data, title.len);
}

static bool ends_here(const struct cutter *c, const char *s, size_t len)
{
	bool empty = count_words(s, len) == 0;

	if (c->words >= MOST_WORDS)
		return true;
	if (c->fence || c->words < ENOUGH_WORDS)
		return false;
	return empty || (c->kind == DOCUMENT_SOURCE && *s == '}');
}

static void add_line(struct cutter *c, const char *s, size_t len)
{
	if (c->text.len + len + 1 > PASSAGE_MAX)
		flush(c);
	if (!c->text.len)
		c->first = c->line;
	buf_add(&c->text, s, len);
	buf_addc(&c->text, '\n');
	c->words += count_words(s, len);
}

/* Splits a very long line at a blank or between characters. */
static size_t piece(const char *s, size_t len)
{
	size_t n = MAX_LINE;

	if (len <= MAX_LINE)
		return len;
	while (n > MAX_LINE / 2 && s[n] != ' ')
		n--;
	if (s[n] == ' ')
		return n;
	for (n = MAX_LINE; (s[n] & 0xc0) == 0x80; n--)
		;
	return n;
}

static void take_line(struct cutter *c, const char *s, size_t len)
{
	size_t level = heading_level(c, s, len);

	if (level) {
		c->line--;
		flush(c);
		c->line++;
		set_title(c, level, s + level, len - level);
		return;
	}
	if (c->kind != DOCUMENT_SOURCE && len >= 3 &&
	    (strncmp(s, "```", 3) == 0 || strncmp(s, "~~~", 3) == 0))
		c->fence = !c->fence;
	for (size_t at = 0, n; at < len; at += n) {
		n = piece(s + at, len - at);
		add_line(c, s + at, n);
	}
	if (!len && c->text.len)
		buf_addc(&c->text, '\n');
	if (ends_here(c, s, len))
		flush(c);
}

void passages_cut(struct passages *out, enum document_kind kind,
		  const char *text)
{
	struct cutter c = {.out = out, .kind = kind, .first = 1};

	buf_init(&c.text, PASSAGE_MAX + 2);
	for (const char *s = text; *s && out->n < PASSAGES_MAX;) {
		size_t len = strcspn(s, "\n");

		c.line++;
		take_line(&c, s, len);
		s += len + (s[len] == '\n');
	}
	flush(&c);
	for (size_t i = 0; i < LEVELS; i++)
		free(c.title[i]);
	buf_release(&c.text);
}

void passages_release(struct passages *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].heading);
		free(p->v[i].text);
	}
	free(p->v);
	*p = (struct passages){0};
}
