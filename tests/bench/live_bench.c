/*
 * The tuner's search on a kernel itself, as it is on this machine now, each point
 * compiled and timed when it is asked for (points.h); live.sh runs it and counts.
 *
 *     live_bench [--random] TASK.yaml FOLDER SEED EVALUATIONS
 *
 * FOLDER keeps the objects. A line an evaluation: its number (1: the point that
 * the file has), the seconds since the start, the seconds of one launch ("nan":
 * it is wrong) and the point. A point is timed ROUNDS times. The search is told the
 * speed relative to the first, as in a run, and how sure it is: by what the rounds
 * of this point and of all points differ by. --random: random order after the first.
 */
#include <math.h>

#include "agent/tuner/search.h"
#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/score/stats.h"
#include "tests/bench/points.h"

#define ROUNDS 3

struct live {
	struct points points;
	struct tuner_search *search; /* NULL: random */
	struct random random;
	size_t values[TUNABLES_MAX];
	bool ordered[TUNABLES_MAX];
	double start, first; /* seconds: the clock; the first point's launch */
	/* Sum over the points of the variance of a round's log seconds. */
	double variances;
	size_t timed;
};

static bool allowed(const void *arg, const size_t *point)
{
	return tunables_allowed(arg, point);
}

static bool may_begin(const void *arg, const size_t *point, size_t n)
{
	return tunables_may_begin(arg, point, n);
}

static void begin(struct live *l, uint64_t seed, bool is_random)
{
	const struct tunables *space = &l->points.space;
	struct search_space s = {.n = space->n,
				 .values = l->values,
				 .ordered = l->ordered,
				 .allowed = allowed,
				 .may_begin = may_begin,
				 .arg = space};

	for (size_t d = 0; d < space->n; d++) {
		l->values[d] = space->tunable[d].n_values;
		l->ordered[d] = space->tunable[d].ordered;
	}
	random_init(&l->random, seed);
	l->search = is_random ? NULL : search_new(&s, seed);
	l->start = clock_seconds();
}

/* The file's own point is the first. A random one may come twice, which is rare
 * in a space of hundreds. */
static bool next_point(struct live *l, size_t *point, size_t n)
{
	const struct tunables *space = &l->points.space;
	const char *reason;

	if (n > 1 && l->search)
		return search_ask(l->search, point, NULL, &reason);
	do
		for (size_t d = 0; d < space->n; d++)
			point[d] = n == 1 ? space->tunable[d].current
					  : (size_t)random_below(&l->random,
								 l->values[d]);
	while (!tunables_allowed(space, point));
	return true;
}

/* Of the rounds; *deviation: of their mean log. */
static double time_rounds(struct live *l, const size_t *point,
			  double *deviation)
{
	double log_seconds[ROUNDS], own;

	*deviation = 0;
	for (size_t i = 0; i < ROUNDS; i++) {
		log_seconds[i] = log(points_time(&l->points, point));
		if (isnan(log_seconds[i]))
			return (double)NAN;
	}
	own = pow(stats_sd(log_seconds, ROUNDS), 2);
	l->variances += own;
	l->timed++;
	*deviation = sqrt((own + l->variances / (double)l->timed) / 2 / ROUNDS);
	return exp(stats_median(log_seconds, ROUNDS));
}

static struct error *evaluate(struct live *l, const size_t *point, size_t n)
{
	double deviation;
	cleanup_free char *name = points_name(&l->points, point);
	double seconds;

	TRY(points_compile(&l->points, point));
	seconds = time_rounds(l, point, &deviation);
	if (n == 1)
		l->first = seconds;
	if (l->search)
		search_tell_within(l->search, point, log(l->first / seconds),
				   deviation);
	printf("%zu %.1f %.4g %s\n", n, clock_seconds() - l->start, seconds,
	       name);
	fflush(stdout);
	return NULL;
}

static struct error *run(struct live *l, bool is_random, char **argv)
{
	size_t point[TUNABLES_MAX];
	size_t evaluations = strtoul(argv[3], NULL, 10);

	TRY(points_open(&l->points, argv[0], argv[1]));
	begin(l, strtoull(argv[2], NULL, 10), is_random);
	for (size_t n = 1; n <= evaluations && next_point(l, point, n); n++)
		TRY(evaluate(l, point, n));
	return NULL;
}

int main(int argc, char **argv)
{
	bool is_random = argc > 1 && strcmp(argv[1], "--random") == 0;
	cleanup_error struct error *err = NULL;
	struct live l = {0};

	if (argc != 5 + is_random) {
		fputs("usage: live_bench [--random] TASK.yaml FOLDER SEED "
		      "EVALUATIONS\n",
		      stderr);
		return 2;
	}
	err = run(&l, is_random, argv + 1 + is_random);
	if (err)
		fprintf(stderr, "live_bench: %s\n", error_message(err));
	search_free(l.search);
	points_release(&l.points);
	return err != NULL;
}
