#include "tests/bench/space.h"

#include <math.h>
#include <zlib.h>

#include "core/base/buf.h"
#include "core/score/stats.h"

#define MAX_CELLS  ((size_t)1 << 26)
#define MAX_ROUNDS 16
#define MAX_BYTES  ((size_t)64 << 20)

static size_t cell_of(const struct space *s, const size_t *point)
{
	size_t cell = 0;

	for (size_t d = 0; d < s->dims; d++)
		cell = cell * s->values[d] + point[d];
	return cell;
}

void space_point(const struct space *s, size_t cell, size_t *point)
{
	for (size_t d = s->dims; d-- > 0; cell /= s->values[d])
		point[d] = cell % s->values[d];
}

double space_seconds(const struct space *s, const size_t *point)
{
	return s->seconds[cell_of(s, point)];
}

static bool is_allowed(const void *arg, const size_t *point)
{
	return space_seconds(arg, point) != 0;
}

struct search_space space_for_search(const struct space *s)
{
	return (struct search_space){.n = s->dims,
				     .values = s->values,
				     .ordered = s->ordered,
				     .allowed = is_allowed,
				     .arg = s};
}

void space_release(struct space *s)
{
	free(s->name);
	free(s->seconds);
	free(s->allowed);
	free(s->sorted);
	*s = (struct space){0};
}

/* ---- reading ------------------------------------------------------------- */

static struct error *read_text(struct buf *text, const char *path)
{
	gzFile f = gzopen(path, "rb");
	char part[65536];
	int n = -1;

	if (f) {
		while ((n = gzread(f, part, sizeof part)) > 0)
			buf_add(text, part, (size_t)n);
		gzclose(f);
	}
	if (n == 0 && text->len)
		return NULL;
	return error_new(ERROR_NOT_FOUND, "%s: it cannot be read", path);
}

static bool read_header(struct space *s, const char *line)
{
	s->dims = 0;
	s->cells = 1;
	for (const char *p = line + strlen("# values"); *p;) {
		char *end;
		size_t v = strtoul(p, &end, 10);

		if (end == p)
			break;
		if (!v || s->dims == SPACE_DIMS || v > MAX_CELLS / s->cells)
			return false;
		s->ordered[s->dims] = *end == '+';
		s->values[s->dims++] = v;
		s->cells *= v;
		p = end + (*end == '+');
	}
	free(s->seconds);
	free(s->allowed);
	s->seconds = xcalloc(s->cells, sizeof *s->seconds);
	s->allowed = xcalloc(s->cells, sizeof *s->allowed);
	return s->dims > 0;
}

static bool read_point(struct space *s, char *line)
{
	double rounds[MAX_ROUNDS], seconds;
	size_t point[SPACE_DIMS], n = 0, cell;

	for (size_t d = 0; d < s->dims; d++) {
		point[d] = strtoul(line, &line, 10);
		if (point[d] >= s->values[d] || *line++ != ',')
			return false;
	}
	do
		rounds[n++] = strtod(line, &line);
	while (*line++ == ',' && n < MAX_ROUNDS);
	seconds = stats_median(rounds, n);
	for (size_t i = 0; i < n; i++)
		if (isnan(rounds[i]))
			seconds = (double)NAN;
	cell = cell_of(s, point);
	if (seconds <= 0 || s->seconds[cell] != 0)
		return false;
	s->seconds[cell] = seconds;
	s->allowed[s->n++] = cell;
	return true;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sort_seconds(struct space *s)
{
	s->sorted = xcalloc(s->n, sizeof *s->sorted);
	for (size_t i = 0; i < s->n; i++)
		if (!isnan(s->seconds[s->allowed[i]]))
			s->sorted[s->n_ran++] = s->seconds[s->allowed[i]];
	qsort(s->sorted, s->n_ran, sizeof *s->sorted, by_value);
}

static char *name_of(const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	if (starts_with(base, "hub-"))
		base += strlen("hub-");
	return xstrndup(base, strcspn(base, "."));
}

struct error *space_read(struct space *s, const char *path)
{
	cleanup_buf struct buf text = BUF_INIT(MAX_BYTES);
	char *save, *line;

	*s = (struct space){0};
	TRY(read_text(&text, path));
	line = strtok_r(text.data, "\n", &save);
	for (size_t n = 1; line; n++) {
		bool is_good = true;

		if (starts_with(line, "# values"))
			is_good = !s->dims && read_header(s, line);
		else if (*line != '#')
			is_good = s->dims && read_point(s, line);
		if (!is_good)
			return error_new(ERROR_TASK,
					 "%s: line %zu is not a header or a "
					 "point of a recorded space",
					 path, n);
		line = strtok_r(NULL, "\n", &save);
	}
	sort_seconds(s);
	if (!s->n_ran)
		return error_new(ERROR_TASK, "%s: it has no point that ran",
				 path);
	s->name = name_of(path);
	return NULL;
}

/* P(the i-th is the least of k drawn of n) = C(n - i, k - 1) / C(n, k), i from
 * 1: k / n, then times (n - i - k + 1) / (n - i). */
double space_expect_least(const struct space *s, size_t k)
{
	double p = (double)k / (double)s->n, sum = 0, rest = 1;

	for (size_t i = 1; i + k <= s->n + 1 && rest > 1e-12; i++) {
		sum += p * s->sorted[MIN(i, s->n_ran) - 1];
		rest -= p;
		if (i < s->n)
			p *= (double)(s->n - i - k + 1) / (double)(s->n - i);
	}
	return sum;
}
