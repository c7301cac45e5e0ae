/*
 * The tuner's search against random search, on the recorded table of a whole
 * space (see record_space.c): evaluations until a point within 2 % of the
 * optimum was measured, over many seeds. One point at a time, and chosen ahead
 * as where candidates are built beside scores.
 *
 *     tuner_bench SPACE.csv [SEEDS]
 */
#include <math.h>

#include "agent/tuner/ahead.h"
#include "core/base/file.h"
#include "core/score/stats.h"
#include "tests/draws.h"

#define MAX_DIMS 16
#define ROUNDS	 3
#define WITHIN	 1.02

struct table {
	size_t dims, values[MAX_DIMS], n, cells;
	bool ordered[MAX_DIMS];
	double *seconds; /* by cell; 0 where the point is not allowed */
	double best;
	size_t *allowed; /* cells */
};

static size_t cell_of(const struct table *t, const size_t *point)
{
	size_t cell = 0;

	for (size_t d = 0; d < t->dims; d++)
		cell = cell * t->values[d] + point[d];
	return cell;
}

static bool is_allowed(const void *arg, const size_t *point)
{
	const struct table *t = arg;

	return t->seconds[cell_of(t, point)] > 0;
}

/* "# values 3 6+ 4+": how many values each dimension has, + where ordered. */
static void read_header(struct table *t, const char *line)
{
	t->cells = 1;
	for (const char *p = strstr(line, "values") + 6; *p;) {
		char *end;
		size_t v = strtoul(p, &end, 10);

		if (end == p || t->dims == MAX_DIMS)
			break;
		t->ordered[t->dims] = *end == '+';
		t->values[t->dims++] = v;
		t->cells *= v;
		p = end + (*end == '+');
	}
	t->seconds = xcalloc(t->cells, sizeof *t->seconds);
	t->allowed = xcalloc(t->cells, sizeof *t->allowed);
}

static void read_point(struct table *t, const char *line)
{
	size_t point[MAX_DIMS];
	double rounds[ROUNDS];
	char *p = (char *)(uintptr_t)line;

	for (size_t d = 0; d < t->dims; d++)
		point[d] = strtoul(p, &p, 10), p++;
	for (size_t i = 0; i < ROUNDS; i++)
		rounds[i] = strtod(p, &p), p++;
	t->allowed[t->n++] = cell_of(t, point);
	t->seconds[t->allowed[t->n - 1]] = stats_median(rounds, ROUNDS);
}

static struct error *read_table(struct table *t, const char *path)
{
	cleanup_buf struct buf text = BUF_INIT((size_t)16 << 20);

	TRY(file_read(&text, path));
	for (char *save, *line = strtok_r(text.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (starts_with(line, "# values"))
			read_header(t, line);
		else if (*line != '#' && t->dims)
			read_point(t, line);
	}
	t->best = HUGE_VAL;
	for (size_t i = 0; i < t->n; i++)
		t->best = MIN(t->best, t->seconds[t->allowed[i]]);
	return NULL;
}

/* From the point the file has: the first of the table. */
static double by_search(const struct table *t, uint64_t seed, size_t ahead)
{
	struct search_space space = {t->dims, t->values, t->ordered, is_allowed,
				     t};
	struct tuner_search *s = search_new(&space, seed);
	const struct tuner_wish wish = {.ahead = ahead};
	cleanup_tuner_ahead struct tuner_ahead a;
	size_t point[MAX_DIMS], n = 0;
	const char *reason;
	double seconds = 0;

	tuner_ahead_init(&a, t->dims);
	do {
		if (!tuner_ahead_take(&a, s, &wish, point, &reason))
			break;
		seconds = t->seconds[cell_of(t, point)];
		search_tell(s, point, -log(seconds));
		n++;
	} while (seconds > WITHIN * t->best);
	search_free(s);
	return (double)n;
}

static double by_chance(const struct table *t, uint64_t seed)
{
	cleanup_free size_t *order = xmemdup(t->allowed, t->n * sizeof *order);
	struct random r;
	size_t n = 0;

	random_init(&r, seed);
	random_shuffle(&r, order, t->n);
	while (n < t->n && t->seconds[order[n]] > WITHIN * t->best)
		n++;
	return (double)n + 1;
}

static void print_figure(const char *name, double value, double rival)
{
	printf("loop.%s %.0f evaluations <%.0f %s\n", name, value, rival,
	       value < rival ? "ok" : "SHORT");
}

int main(int argc, char **argv)
{
	struct table t = {0};
	size_t seeds = argc > 2 ? strtoul(argv[2], NULL, 10) : 200;
	cleanup_free double *search = xcalloc(seeds, sizeof *search);
	cleanup_free double *ahead = xcalloc(seeds, sizeof *ahead);
	cleanup_free double *chance = xcalloc(seeds, sizeof *chance);
	struct error *err = argc > 1 ? read_table(&t, argv[1]) : NULL;

	if (argc < 2 || err) {
		fprintf(stderr, "tuner_bench: %s\n",
			err ? error_message(err) : "name the table");
		return 1;
	}
	for (size_t i = 0; i < seeds; i++) {
		search[i] = by_search(&t, i, 0);
		ahead[i] = by_search(&t, i, TUNER_AHEAD);
		chance[i] = by_chance(&t, i + 1000);
	}
	print_figure("tuner_median", stats_median(search, seeds),
		     stats_median(chance, seeds));
	print_figure("tuner_p90", stats_quantile(search, seeds, 0.9),
		     stats_quantile(chance, seeds, 0.9));
	print_figure("tuner_ahead_median", stats_median(ahead, seeds),
		     stats_median(chance, seeds));
	print_figure("tuner_ahead_p90", stats_quantile(ahead, seeds, 0.9),
		     stats_quantile(chance, seeds, 0.9));
	free(t.seconds);
	free(t.allowed);
	return 0;
}
