/*
 * What the scorer can tell apart on a GPU: comparisons of a kernel with
 * itself and with one that does exactly one percent more work, then the same
 * resampled from what was recorded.
 *
 *     gpu_bench NAME FOLDER [COMPARISONS]
 *
 * The kernel of FOLDER does MORE percent more work where that is defined.
 */
#include <math.h>

#include "core/clock.h"
#include "scorer/scoring.h"
#include "steps.h"

#define RESAMPLED   1000
#define MAX_BLOCKS  128
#define MAX_SECONDS 20

struct record {
	double *x;
	size_t n;
};

struct records {
	struct record *record;
	size_t n, cap;
};

struct tally {
	size_t n, faster, slower;
	double *gpu, *wall; /* seconds of each */
	double launch;
	struct records records;
};

static struct error *contest(struct tally *t, struct stage *s, struct field *f)
{
	struct scorer *scorer = (struct scorer *)s->scorer;
	cleanup_outcome struct outcome o = OUTCOME_INIT;
	cleanup_contest struct contest *c = NULL;
	const struct contender *who;
	double start = clock_seconds();
	struct record *r;

	scorer_reseed(scorer, t->n);
	scorer->scoring.seconds_timed = 0;
	TRY(scorer_need_judge(scorer));
	c = field_call_up(f, 1, 0);
	TRY(contest_run(&o, c, MAX_SECONDS));
	if (o.verdict != VERDICT_PASS)
		return error_new(ERROR_INTERNAL, "the kernel fails: %s", o.why);
	who = &c->contender[1];
	GROW(t->records.record, t->records.n, t->records.cap);
	r = &t->records.record[t->records.n++];
	*r = (struct record){xmemdup(who->log_ratio,
				     who->n * sizeof *who->log_ratio),
			     who->n};
	t->faster += who->state.told == TOLD_FASTER;
	t->slower += who->state.told == TOLD_SLOWER;
	t->gpu[t->n] = scorer->scoring.seconds_timed;
	t->wall[t->n++] = clock_seconds() - start;
	t->launch = stats_median(c->seconds[0].value, c->seconds[0].n);
	fprintf(stderr, "%.5f [%.5f %.5f] %d, %zu blocks, %.2f s\n",
		who->state.ratio, who->state.ratio95.lo, who->state.ratio95.hi,
		who->state.told, who->n, t->wall[t->n - 1]);
	return NULL;
}

static struct error *compare(struct tally *t, struct stage *s, unsigned more)
{
	struct scorer *scorer = (struct scorer *)s->scorer;
	cleanup_candidate struct candidate a = {0}, b = {0};
	cleanup_field struct field f;
	struct rival_request rival = {RIVAL_INCUMBENT, &b};
	struct score_request request = {
		.candidate = &a, .rivals = &rival, .n_rivals = 1};

	TRY(stage_candidate(&a, s, "candidate", "MORE", 0));
	TRY(stage_candidate(&b, s, "rival", "MORE", more));
	field_init(&f, scorer, &request);
	TRY(build_candidate(&f.candidate, scorer->builder, &a.files));
	if (!f.candidate.ok)
		return error_new(ERROR_TASK, "%s", f.candidate.first_error);
	TRY(field_build_rivals(&f));
	return contest(t, s, &f);
}

/* False calls of comparisons whose blocks are drawn from one recorded
 * comparison each, with a random sign: equals. */
static size_t resample(const struct records *r, uint64_t seed)
{
	struct comparison_plan plan = COMPARISON_PLAN_DEFAULT;
	struct random random;
	size_t called = 0;

	plan.max_blocks = MAX_BLOCKS;
	random_init(&random, seed);
	for (size_t i = 0; i < RESAMPLED; i++) {
		const struct record *from =
			&r->record[random_below(&random, r->n)];
		struct comparison_state state = {.done = false};
		double sign = random_below(&random, 2) ? 1 : -1;
		double x[MAX_BLOCKS];

		for (size_t n = 0; !state.done && n < MAX_BLOCKS;) {
			x[n++] = sign * from->x[random_below(&random, from->n)];
			state = comparison_look(&plan, x, n,
						random_u64(&random));
		}
		called += state.told != TOLD_NOTHING;
	}
	return called;
}

static void print(const char *name, const char *what, double value,
		  const char *unit, const char *goal, bool ok)
{
	printf("gpu.%s_%s %.4g %s %s %s\n", name, what, value, unit, goal,
	       ok ? "ok" : "SHORT");
	fflush(stdout);
}

static void report(const char *name, const struct tally *same,
		   const struct tally *more)
{
	double n = (double)same->n;
	double falsely = 100 * (double)(same->faster + same->slower) / n;
	double drawn = 100.0 * (double)resample(&same->records, 1) / RESAMPLED;
	double told = 100 * (double)more->faster / n;

	print(name, "launch", 1e6 * same->launch, "us", "said", true);
	print(name, "false_calls", falsely, "%", "<=2", falsely <= 2);
	print(name, "false_calls_resampled", drawn, "%", "<=2", drawn <= 2);
	print(name, "one_percent_told", told, "%", ">=90", told >= 90);
	print(name, "one_percent_wrong_way", 100 * (double)more->slower / n,
	      "%", "said", true);
	print(name, "gpu_seconds", stats_median(same->gpu, same->n), "s", "<=3",
	      stats_median(same->gpu, same->n) <= 3);
	print(name, "wall_seconds", stats_median(same->wall, same->n), "s",
	      "said", true);
}

static struct error *run(const char *name, struct stage *s, size_t n)
{
	cleanup_free double *seconds = xcalloc(4 * n, sizeof *seconds);
	struct tally same = {.gpu = seconds, .wall = seconds + n};
	struct tally more = {.gpu = seconds + 2 * n, .wall = seconds + 3 * n};

	for (size_t i = 0; i < n; i++) {
		TRY(compare(&same, s, 0));
		TRY(compare(&more, s, 1));
	}
	report(name, &same, &more);
	return NULL;
}

int main(int argc, char **argv)
{
	size_t n = argc > 3 ? strtoul(argv[3], NULL, 10) : 30;
	struct stage s;
	struct error *err;

	if (argc < 3 || n == 0)
		return 2;
	err = stage_open(&s, argv[2]);
	if (!err)
		err = run(argv[1], &s, n);
	stage_close(&s);
	if (err)
		fprintf(stderr, "gpu_bench: %s\n", error_message(err));
	return err != NULL;
}
