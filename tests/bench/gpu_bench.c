/*
 * What the scorer can tell apart on a GPU: comparisons of a kernel with
 * itself and with one that does exactly one percent more work, then the same
 * resampled from what was recorded.
 *
 *     gpu_bench NAME FOLDER [COMPARISONS [LINES]]
 *
 * The kernel of FOLDER does MORE percent more work where that is defined. Each
 * comparison is a line,
 *
 *     same|more RATIO LO HI TOLD GPU-SECONDS WALL-SECONDS LAUNCH LOG-RATIO...
 *
 * on stderr, and appended to the file LINES: those that are there already are
 * counted, and not made again. GPU seconds are launches and the judge's work.
 */
#include <math.h>

#include "core/base/clock.h"
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
	const char *kind;
	unsigned more; /* percent of work */
	size_t n, faster, slower;
	double *gpu, *wall; /* seconds of each */
	double launch;
	struct records records;
};

/* One comparison, as a line has it. */
struct result {
	double ratio, lo, hi;
	int told;
	double gpu, wall, launch; /* seconds */
	const double *x;	  /* log ratios */
	size_t n;
};

static void count(struct tally *t, const struct result *r)
{
	GROW(t->records.record, t->records.n, t->records.cap);
	t->records.record[t->records.n++] =
		(struct record){xmemdup(r->x, r->n * sizeof *r->x), r->n};
	t->faster += r->told == DECISION_FASTER;
	t->slower += r->told == DECISION_SLOWER;
	t->launch = r->launch;
	t->gpu[t->n] = r->gpu;
	t->wall[t->n++] = r->wall;
}

/* ---- lines ----------------------------------------------------------------- */

static void put_line(FILE *to, const char *kind, const struct result *r)
{
	fprintf(to, "%s %.5f %.5f %.5f %d %.3f %.3f %.4g", kind, r->ratio,
		r->lo, r->hi, r->told, r->gpu, r->wall, r->launch);
	for (size_t i = 0; i < r->n; i++)
		fprintf(to, " %.6g", r->x[i]);
	fputc('\n', to);
	fflush(to);
}

/* Its log ratios go to x; false: it is not a whole line of this kind. */
static bool read_line(struct result *r, double x[MAX_BLOCKS], const char *line,
		      const char *kind)
{
	char is[8];
	int used = 0;

	if (!strchr(line, '\n') ||
	    sscanf(line, "%7s %lf %lf %lf %d %lf %lf %lf%n", is, &r->ratio,
		   &r->lo, &r->hi, &r->told, &r->gpu, &r->wall, &r->launch,
		   &used) != 8 ||
	    !str_eq(is, kind))
		return false;
	r->x = x;
	for (r->n = 0; r->n < MAX_BLOCKS; r->n++) {
		char *end;

		line += used;
		x[r->n] = strtod(line, &end);
		if (end == line)
			break;
		used = (int)(end - line);
	}
	return r->n > 0;
}

/* What an earlier run has left, at most n of a kind. */
static void read_lines(struct tally *t, const char *path, size_t n)
{
	FILE *from = path ? fopen(path, "r") : NULL;
	cleanup_free char *line = NULL;
	size_t room = 0;

	while (from && t->n < n && getline(&line, &room, from) > 0) {
		struct result r;
		double x[MAX_BLOCKS];

		if (read_line(&r, x, line, t->kind))
			count(t, &r);
	}
	if (from)
		fclose(from);
}

/* ---- comparisons ----------------------------------------------------------- */

static struct error *contest(struct result *r, struct contest **out,
			     struct stage *s, struct contenders *f)
{
	struct scorer *scorer = (struct scorer *)s->scorer;
	cleanup_score_outcome struct score_outcome o = SCORE_OUTCOME_INIT;
	cleanup_contest struct contest *c = NULL;
	const struct contender *who;
	double start = clock_seconds(), judged;

	scorer->scoring.seconds_timed = 0;
	TRY(scorer_need_judge(scorer));
	judged = scorer->scoring.judge->seconds;
	c = contenders_contest(f, 1, 0);
	TRY(contest_run(&o, c, MAX_SECONDS));
	if (o.verdict != VERDICT_PASS)
		return error_new(ERROR_INTERNAL, "the kernel fails: %s", o.why);
	who = &c->contender[1];
	*r = (struct result){
		.ratio = who->state.ratio,
		.lo = who->state.ratio95.lo,
		.hi = who->state.ratio95.hi,
		.told = (int)who->state.decision,
		.gpu = scorer->scoring.seconds_timed +
		       scorer->scoring.judge->seconds - judged,
		.wall = clock_seconds() - start,
		.launch = stats_median(c->seconds[0].value, c->seconds[0].n),
		.x = who->log_ratio,
		.n = who->n,
	};
	*out = steal(&c);
	return NULL;
}

static struct error *compare(struct tally *t, struct stage *s, FILE *lines)
{
	struct scorer *scorer = (struct scorer *)s->scorer;
	cleanup_candidate struct candidate a = {0}, b = {0};
	cleanup_contenders struct contenders f;
	cleanup_contest struct contest *c = NULL;
	struct rival_request rival = {RIVAL_INCUMBENT, &b};
	struct score_request request = {
		.candidate = &a, .rivals = &rival, .n_rivals = 1};
	struct result r;

	contenders_init(&f, scorer, &request);
	TRY(stage_candidate(&a, s, "candidate", "MORE", 0));
	TRY(stage_candidate(&b, s, "rival", "MORE", t->more));
	TRY(build_candidate(&f.candidate, scorer->builder, &a.files));
	if (!f.candidate.ok)
		return error_new(ERROR_TASK, "%s", f.candidate.first_error);
	TRY(contenders_build_rivals(&f));
	scorer_reseed(scorer, t->n);
	TRY(contest(&r, &c, s, &f));
	put_line(stderr, t->kind, &r);
	if (lines)
		put_line(lines, t->kind, &r);
	count(t, &r);
	return NULL;
}

/* The mean of a few pairs is never nought, and drawn from for long they would
 * be told apart for that: so many are drawn from. */
#define DRAWN_FROM (2 * MAX_BLOCKS)

/* The pairs of this comparison and of those after it. */
static struct record pairs_from(const struct records *r, size_t first)
{
	struct record all = {NULL, 0};

	for (size_t i = 0; i < r->n && all.n < DRAWN_FROM; i++) {
		const struct record *one = &r->record[(first + i) % r->n];

		all.x = xrealloc(all.x, all.n + one->n, sizeof *all.x);
		memcpy(all.x + all.n, one->x, one->n * sizeof *one->x);
		all.n += one->n;
	}
	return all;
}

/* False calls of comparisons whose blocks are drawn from recorded ones that
 * were next to each other, with a random sign: equals. */
static size_t resample(const struct records *r, uint64_t seed)
{
	struct comparison_design plan = COMPARISON_DESIGN_DEFAULT;
	struct random random;
	size_t called = 0;

	plan.max_blocks = MAX_BLOCKS;
	random_init(&random, seed);
	for (size_t i = 0; i < RESAMPLED; i++) {
		struct record from = pairs_from(r, random_below(&random, r->n));
		struct comparison_state state = {.done = false};
		double sign = random_below(&random, 2) ? 1 : -1;
		double x[MAX_BLOCKS];

		for (size_t n = 0; !state.done && n < MAX_BLOCKS;) {
			x[n++] = sign * from.x[random_below(&random, from.n)];
			state = comparison_look(&plan, x, n,
						random_u64(&random));
		}
		called += state.decision != DECISION_NONE;
		free(from.x);
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
	print(name, "one_percent_gpu_seconds", stats_median(more->gpu, more->n),
	      "s", "said", true);
	print(name, "one_percent_wall_seconds",
	      stats_median(more->wall, more->n), "s", "said", true);
}

static struct error *run(const char *name, struct stage *s, size_t n,
			 const char *path)
{
	cleanup_free double *seconds = xcalloc(4 * n, sizeof *seconds);
	struct tally same = {"same", .gpu = seconds, .wall = seconds + n};
	struct tally more = {"more", 1, .gpu = seconds + 2 * n};
	FILE *lines = path ? fopen(path, "a") : NULL;

	more.wall = seconds + 3 * n;
	if (path && !lines)
		return error_errno("cannot open %s", path);
	read_lines(&same, path, n);
	read_lines(&more, path, n);
	while (same.n < n || more.n < n) {
		if (same.n < n)
			TRY(compare(&same, s, lines));
		if (more.n < n)
			TRY(compare(&more, s, lines));
	}
	if (lines)
		fclose(lines);
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
		err = run(argv[1], &s, n, argc > 4 ? argv[4] : NULL);
	stage_close(&s);
	if (err)
		fprintf(stderr, "gpu_bench: %s\n", error_message(err));
	return err != NULL;
}
