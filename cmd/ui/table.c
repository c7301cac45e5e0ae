#include "cmd/ui/table.h"

#include <stdarg.h>
#include <wchar.h>

#include "cmd/ui/out.h"
#include "cmd/ui/terminal.h"
#include "core/base/text.h"

size_t text_width(const char *s)
{
	mbstate_t state = {0};
	size_t left = strlen(s), width = 0;
	wchar_t c;

	while (left > 0) {
		size_t len;
		int cells;

		/* Most of all text; the rest takes thirty times as long. */
		if (*s >= ' ' && *s <= '~') {
			width++;
			s++;
			left--;
			continue;
		}
		len = mbrtowc(&c, s, left, &state);
		if (len == (size_t)-1 || len == (size_t)-2) {
			state = (mbstate_t){0};
			len = 1;
			cells = 1;
		} else {
			cells = wcwidth(c);
		}
		width += cells > 0 ? (size_t)cells : 0;
		s += len;
		left -= len;
	}
	return width;
}

void table_init(struct table *t, const char *align)
{
	*t = (struct table){.indent = ""};
	for (; *align && t->n_columns < TABLE_MAX_COLUMNS; align++)
		t->align[t->n_columns++] = *align == 'r' ? ALIGN_RIGHT
							 : ALIGN_LEFT;
}

void table_add(struct table *t, enum color color, const char *fmt, ...)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	size_t column = t->n % t->n_columns;
	va_list ap;
	char *formatted = NULL;

	va_start(ap, fmt);
	if (vasprintf(&formatted, fmt, ap) < 0)
		formatted = NULL;
	va_end(ap);
	out_clean_line(&text, formatted ? formatted : "");
	free(formatted);
	t->width[column] = MAX(t->width[column], text_width(text.data));
	GROW(t->cell, t->n, t->cap);
	t->cell[t->n++] =
		(struct table_cell){.text = buf_take(&text), .color = color};
}

/* ---- fitting the terminal --------------------------------------------------- */

#define NARROW 12 /* a column of text is not cut to less */
#define INDENT "    "

struct fit {
	size_t limit; /* 0: none */
	size_t width[TABLE_MAX_COLUMNS];
	bool breaks[TABLE_MAX_COLUMNS]; /* a new line begins with it */
};

static size_t total(const struct table *t, const size_t *width)
{
	size_t sum = text_width(t->indent), n = 0;

	for (size_t i = 0; i < t->n_columns; i++) {
		sum += width[i] + (width[i] && n ? 2 : 0);
		n += width[i] > 0;
	}
	return sum;
}

/* The widest column of text that can still be cut; n_columns: none. */
static size_t widest(const struct table *t, const size_t *width)
{
	size_t found = t->n_columns;

	for (size_t i = 0; i < t->n_columns; i++)
		if (t->align[i] == ALIGN_LEFT && width[i] > NARROW &&
		    (found == t->n_columns || width[i] > width[found]))
			found = i;
	return found;
}

static void break_lines(struct fit *f, const struct table *t)
{
	size_t used = text_width(t->indent);

	for (size_t i = 0; i < t->n_columns; i++) {
		if (!f->width[i])
			continue;
		f->breaks[i] = used + f->width[i] > f->limit &&
			       used > strlen(INDENT);
		if (f->breaks[i])
			used = text_width(t->indent) + strlen(INDENT);
		used += f->width[i] + 2;
	}
}

static void fit(struct fit *f, const struct table *t)
{
	size_t column;

	*f = (struct fit){.limit = terminal_width()};
	memcpy(f->width, t->width, sizeof f->width);
	if (!f->limit)
		return;
	while (total(t, f->width) > f->limit &&
	       (column = widest(t, f->width)) < t->n_columns)
		f->width[column]--;
	if (total(t, f->width) > f->limit)
		break_lines(f, t);
}

char *text_fit(const char *text, size_t width)
{
	size_t len = strlen(text);

	if (text_width(text) <= width)
		return xstrdup(text);
	while (len) {
		cleanup_free char *piece = NULL;

		len = text_cut(text, len - 1);
		piece = xstrndup(text, len);
		if (text_width(piece) + 3 <= width)
			return xasprintf("%s...", piece);
	}
	return xstrdup("");
}

static bool is_last(const struct table *t, size_t column)
{
	while (++column < t->n_columns)
		if (t->width[column])
			return false;
	return true;
}

static void print_cell(struct buf *out, const struct table *t,
		       const struct fit *f, size_t at, const struct palette *p)
{
	const struct table_cell *c = &t->cell[at];
	size_t column = at % t->n_columns;
	cleanup_free char *text = text_fit(c->text, f->width[column]);
	size_t blanks = f->width[column] - text_width(text);

	if (t->align[column] == ALIGN_RIGHT)
		buf_addf(out, "%*s", (int)blanks, "");
	buf_addf(out, "%s%s%s", color_begin(p, c->color), text,
		 color_end(p, c->color));
	if (t->align[column] == ALIGN_LEFT)
		buf_addf(out, "%*s", (int)blanks, "");
	if (!is_last(t, column))
		buf_adds(out, "  ");
}

void table_print(const struct table *t, const struct palette *p)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	struct fit f;

	fit(&f, t);
	for (size_t row = 0; row + t->n_columns <= t->n; row += t->n_columns) {
		buf_clear(&line);
		buf_adds(&line, t->indent);
		for (size_t column = 0; column < t->n_columns; column++) {
			if (f.breaks[column]) {
				buf_trim_end(&line);
				puts(line.data);
				buf_clear(&line);
				buf_addf(&line, "%s" INDENT, t->indent);
			}
			if (f.width[column])
				print_cell(&line, t, &f, row + column, p);
		}
		buf_trim_end(&line);
		puts(line.data);
	}
}

void table_release(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->cell[i].text);
	free(t->cell);
	*t = (struct table){0};
}
