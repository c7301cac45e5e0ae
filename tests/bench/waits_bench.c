/*
 * How much of the time a card measures while the tuner searches a recorded space
 * and compilers are waited for: reckoned by the rules of scorer/build/prefetch.c,
 * so that no machine disturbs it. A build takes half to one and a half of BUILD
 * seconds, drawn; a loser SCORE seconds, and one that is better than all before
 * four times as long.
 *
 *     waits_bench SPACE BUILD SCORE COMPILERS AHEAD SEEDS
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tuner/ahead.h"
#include "core/score/stats.h"
#include "space.h"

#define FOR_SURE   2	/* as in prefetch.c */
#define GUESSES	   3	/* as in tuner.c */
#define WITHIN	   1.02 /* of the best */
#define BETTER	   4	/* scores of a loser */
#define ATTEMPTS   60
#define MOST_BUILT 1024

struct made {
	size_t point[SPACE_DIMS];
	double ready;
};

struct sim {
	const struct space *t;
	struct tuner_search *s;
	struct tuner_ahead ahead;
	struct random random;
	double build, score;
	size_t compilers, most_ahead;
	double now, measured, longest, last, best;
	struct made made[MOST_BUILT];
	size_t n;
};

static struct made *find(struct sim *m, const size_t *point)
{
	for (size_t i = 0; i < m->n; i++)
		if (memcmp(m->made[i].point, point,
			   m->t->dims * sizeof *point) == 0)
			return &m->made[i];
	return NULL;
}

static struct made *begin_build(struct sim *m, const size_t *point)
{
	double seconds = m->build * (.5 + random_unit(&m->random));
	struct made *one = &m->made[m->n < MOST_BUILT ? m->n++ : 0];

	memcpy(one->point, point, m->t->dims * sizeof *point);
	one->ready = m->now + seconds;
	m->longest = MAX(m->longest, seconds);
	return one;
}

static bool build_ahead(struct sim *m, const size_t *point, bool is_sure)
{
	size_t running = is_sure ? 0 : FOR_SURE;

	if (find(m, point))
		return true;
	for (size_t i = 0; i < m->n; i++)
		running += m->made[i].ready > m->now;
	return running < m->compilers && begin_build(m, point);
}

static void foresee(struct sim *m)
{
	size_t guess[GUESSES * SPACE_DIMS], n;

	for (size_t i = 0; i < m->ahead.n; i++) {
		struct asked_point *p = &m->ahead.asked[i];

		if (!p->is_building)
			p->is_building = build_ahead(m, p->point, true);
	}
	n = search_foresee(m->s, guess, GUESSES, NULL);
	for (size_t i = 0; i < n; i++)
		build_ahead(m, guess + i * m->t->dims, false);
}

/* One that ran, whose gain is known; builds begin while it is measured. */
static void measure_start(struct sim *m)
{
	const struct tuner_wish wish = {.ahead = MIN(2, m->most_ahead)};
	size_t point[SPACE_DIMS];

	do {
		space_point(m->t,
			    m->t->allowed[random_below(&m->random, m->t->n)],
			    point);
		m->best = space_seconds(m->t, point);
	} while (!(m->best > 0));
	search_tell(m->s, point, -log(m->best));
	tuner_ahead_ask(&m->ahead, m->s, &wish);
	foresee(m);
	m->last = BETTER * m->score;
	m->now = m->last;
}

static bool attempt(struct sim *m)
{
	double wanted = fmin(ceil(m->longest / m->last), (double)m->compilers);
	const struct tuner_wish wish = {
		.ahead = MIN((size_t)fmax(1, wanted), m->most_ahead)};
	size_t point[SPACE_DIMS];
	const char *reason;
	struct made *one;
	double seconds;

	if (!tuner_ahead_take(&m->ahead, m->s, &wish, point, &reason))
		return false;
	foresee(m);
	one = find(m, point);
	if (!one)
		one = begin_build(m, point);
	m->now = MAX(m->now, one->ready);
	seconds = space_seconds(m->t, point);
	m->last = seconds < m->best ? BETTER * m->score : m->score;
	m->now += m->last;
	m->measured += m->last;
	m->best = seconds < m->best ? seconds : m->best;
	search_tell(m->s, point, -log(seconds));
	return true;
}

struct outcome {
	double share, seconds, attempts; /* the last two: to the best */
};

static struct outcome run(const struct sim *how, uint64_t seed)
{
	struct search_space space = space_for_search(how->t);
	struct sim m = *how;
	struct outcome o = {.attempts = ATTEMPTS};
	double start;
	bool found = false;

	m.s = search_new(&space, seed);
	random_init(&m.random, seed);
	tuner_ahead_init(&m.ahead, m.t->dims);
	measure_start(&m);
	start = m.now;
	for (size_t i = 1; i <= ATTEMPTS && attempt(&m); i++)
		if (!found && m.best <= WITHIN * m.t->sorted[0]) {
			found = true;
			o.attempts = (double)i;
			o.seconds = m.now - start;
		}
	if (!found)
		o.seconds = m.now - start;
	o.share = m.measured / (m.now - start);
	tuner_ahead_release(&m.ahead);
	search_free(m.s);
	return o;
}

static void say(const struct sim *how, size_t seeds)
{
	cleanup_free double *share = xcalloc(seeds, sizeof *share);
	cleanup_free double *seconds = xcalloc(seeds, sizeof *seconds);
	cleanup_free double *attempts = xcalloc(seeds, sizeof *attempts);

	for (size_t i = 0; i < seeds; i++) {
		struct outcome o = run(how, i);

		share[i] = o.share;
		seconds[i] = o.seconds;
		attempts[i] = o.attempts;
	}
	printf("loop.waits_%zu-compilers_%zu-ahead %.1f %% - ok  (to within 2 "
	       "%%"
	       " of the best: %.1f s, %.1f attempts)\n",
	       how->compilers, how->most_ahead, 100 * stats_mean(share, seeds),
	       stats_mean(seconds, seeds), stats_mean(attempts, seeds));
}

int main(int argc, char **argv)
{
	cleanup_space struct space t = {0};
	cleanup_error struct error *err = NULL;
	struct sim how = {.t = &t};

	if (argc != 7)
		return 2;
	err = space_read(&t, argv[1]);
	if (err) {
		fprintf(stderr, "waits_bench: %s\n", error_message(err));
		return 1;
	}
	how.build = how.longest = strtod(argv[2], NULL);
	how.score = strtod(argv[3], NULL);
	how.compilers = strtoul(argv[4], NULL, 10);
	how.most_ahead = strtoul(argv[5], NULL, 10);
	say(&how, MAX(strtoul(argv[6], NULL, 10), 1));
	return 0;
}
