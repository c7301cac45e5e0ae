#include "cmd/ui/table.h"

#include <stdarg.h>
#include <wchar.h>

#include "cmd/ui/out.h"

size_t text_width(const char *s)
{
	mbstate_t state = {0};
	size_t left = strlen(s), width = 0;
	wchar_t c;

	while (left > 0) {
		size_t len = mbrtowc(&c, s, left, &state);
		int cells;

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

static bool is_last(const struct table *t, size_t column)
{
	while (++column < t->n_columns)
		if (t->width[column])
			return false;
	return true;
}

static void print_cell(struct buf *out, const struct table *t, size_t at,
		       const struct palette *p)
{
	const struct table_cell *c = &t->cell[at];
	size_t column = at % t->n_columns;
	size_t blanks = t->width[column] - text_width(c->text);

	if (t->align[column] == ALIGN_RIGHT)
		buf_addf(out, "%*s", (int)blanks, "");
	buf_addf(out, "%s%s%s", color_begin(p, c->color), c->text,
		 color_end(p, c->color));
	if (t->align[column] == ALIGN_LEFT)
		buf_addf(out, "%*s", (int)blanks, "");
	if (!is_last(t, column))
		buf_adds(out, "  ");
}

void table_print(const struct table *t, const struct palette *p)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t row = 0; row + t->n_columns <= t->n; row += t->n_columns) {
		buf_clear(&line);
		buf_adds(&line, t->indent);
		for (size_t column = 0; column < t->n_columns; column++)
			if (t->width[column])
				print_cell(&line, t, row + column, p);
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
