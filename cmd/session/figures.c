#include "cmd/session/figures.h"

#include <ctype.h>
#include <math.h>

#include "core/base/buf.h"
#include "core/base/text.h"

#define LINE_MAX_LEN 400
#define NUMBERS_MAX  16 /* of a line */

void figures_release(struct printed_figures *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->v[i].label);
	free(f->v);
	*f = (struct printed_figures){0};
}

const struct figure *figures_find(const struct printed_figures *f,
				  const char *label)
{
	for (size_t i = 0; i < f->n; i++)
		if (str_eq(f->v[i].label, label))
			return &f->v[i];
	return NULL;
}

struct number {
	size_t at, len;
	double value;
};

/* Length of the decimal number at s, 0 if there is none: strtod would also take
 * "inf", "nan" and hexadecimal. */
static size_t number_length(const char *s)
{
	size_t n = strspn(s, "0123456789"), more;

	if (!n)
		return 0;
	if (s[n] == '.' && isdigit((unsigned char)s[n + 1]))
		n += 1 + strspn(s + n + 1, "0123456789");
	if (s[n] == 'e' || s[n] == 'E') {
		more = s[n + 1] == '-' || s[n + 1] == '+' ? 2 : 1;
		if (isdigit((unsigned char)s[n + more]))
			n += more + strspn(s + n + more, "0123456789");
	}
	return n;
}

static size_t find_numbers(struct number *out, const char *line)
{
	size_t n = 0;

	for (size_t i = 0; line[i] && n < NUMBERS_MAX;) {
		bool inside = i &&
			      (is_word_char(line[i - 1]) || line[i - 1] == '.');
		size_t len = inside ? 0 : number_length(line + i);
		double value;

		if (!len) {
			i++;
			continue;
		}
		value = strtod(line + i, NULL);
		if (isfinite(value))
			out[n++] = (struct number){i, len, value};
		i += len;
	}
	return n;
}

static char *label_of(const char *line, const struct number *number, size_t n,
		      size_t which)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		buf_add(&b, line + at, number[i].at - at);
		buf_addc(&b, i == which ? '*' : '#');
		at = number[i].at + number[i].len;
	}
	buf_adds(&b, line + at);
	buf_trim_end(&b);
	return buf_take(&b);
}

static void add(struct printed_figures *out, const char *label, double value)
{
	char *name = xstrdup(label);

	for (int again = 2; figures_find(out, name); again++) {
		free(name);
		name = xasprintf("%s (%d)", label, again);
	}
	GROW(out->v, out->n, out->cap);
	out->v[out->n++] = (struct figure){name, value};
}

static void read_line(struct printed_figures *out, const char *text, size_t len)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);
	struct number number[NUMBERS_MAX];
	const char *line;
	size_t n;

	text_add_line(&clean, text, MIN(len, (size_t)LINE_MAX_LEN));
	if (!clean.len)
		return;
	line = clean.data + strspn(clean.data, " \t");
	n = find_numbers(number, line);
	for (size_t i = 0; i < n && out->n < FIGURES_MAX; i++) {
		cleanup_free char *label = label_of(line, number, n, i);

		add(out, label, number[i].value);
	}
}

void figures_read(struct printed_figures *out, const char *text, size_t len)
{
	*out = (struct printed_figures){0};
	for (size_t at = 0; at < len && out->n < FIGURES_MAX;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - text) - at : len - at;

		read_line(out, text + at, n);
		at += n + 1;
	}
}
