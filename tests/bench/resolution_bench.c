/*
 * What the scorer can tell apart: comparisons of a kernel of about 5 ms with
 * itself, and with ones that do exactly 3 % and 1 % more work, beside a fixed
 * load on another CPU. With BUILDS only of the kernel with itself, while the
 * caller has so many compilers at work (builds.sh). With `final`, finals: of the
 * kernel with itself, and with one that does 30 % more work, on a machine that
 * others make busy.
 *
 *     resolution_bench FOLDER [COMPARISONS [BUILDS | final]]
 */
#include "core/score/stats.h"
#include "steps.h"

#define ROUNDS 1400 /* about 6 ms here */
/* A comparison beside builds has all its blocks: it is to end within seconds. */
#define FEW_ROUNDS 350

struct tally {
	size_t n, same, faster, slower, confirmed, unsteady;
	double *seconds;
	double launch;
	double log_ratio;
	bool final;
	size_t together; /* confirmed by all sessions of a final */
};

/* `rival` does `percent` more work than the candidate. */
static struct error *compare(struct tally *t, struct stage *s, unsigned rounds,
			     unsigned percent)
{
	cleanup_candidate struct candidate a = {0}, b = {0};
	cleanup_measurement struct measurement *m = NULL;
	struct rival_request rival = {RIVAL_INCUMBENT, &b};
	struct score_request request = {
		.candidate = &a, .rivals = &rival, .n_rivals = 1};

	request.winners_only = request.patient = request.confirm = t->final;
	TRY(stage_candidate(&a, s, "candidate", "ROUNDS", rounds));
	TRY(stage_candidate(&b, s, "rival", "ROUNDS",
			    rounds + rounds * percent / 100));
	TRY(s->scorer->score(s->scorer, &m, &request));
	if (m->verdict != VERDICT_PASS)
		return error_new(ERROR_INTERNAL, "the kernel fails: %s",
				 m->why);
	t->same += m->comparisons[0].decision == DECISION_NONE;
	t->faster += m->comparisons[0].decision == DECISION_FASTER;
	t->slower += m->comparisons[0].decision == DECISION_SLOWER;
	t->confirmed += m->comparisons[0].confirmed;
	t->together += m->comparisons[0].confirmed &&
		       measurement_get(m, "sessions");
	t->unsteady += measurement_get(m, "unsteady") != NULL;
	t->launch = m->cases[0].seconds;
	t->log_ratio += m->comparisons[0].ratio;
	t->seconds[t->n++] = m->seconds_total;
	fprintf(stderr,
		"%u %% %zu: %.4f [%.4f %.4f] %d, %zu blocks, sessions %s, "
		"%.2f s%s%s\n",
		percent, t->n, m->comparisons[0].ratio,
		m->comparisons[0].ratio95.lo, m->comparisons[0].ratio95.hi,
		m->comparisons[0].decision, m->comparisons[0].blocks,
		measurement_get(m, "sessions") ? measurement_get(m, "sessions")
					       : "1",
		m->seconds_total, measurement_get(m, "unsteady") ? ", " : "",
		measurement_get(m, "unsteady") ? measurement_get(m, "unsteady")
					       : "");
	return NULL;
}

static void print_share(const char *name, size_t part, size_t whole,
			const char *goal, double least)
{
	double percent = 100 * (double)part / (double)whole;

	printf("resolution.%s %.1f %% %s %s\n", name, percent, goal,
	       percent >= least ? "ok" : "SHORT");
}

static struct error *run(struct stage *s, size_t n)
{
	cleanup_free double *seconds = xcalloc(3 * n, sizeof *seconds);
	struct tally same = {.seconds = seconds};
	struct tally one = {.seconds = seconds + n};
	struct tally three = {.seconds = seconds + 2 * n};

	for (size_t i = 0; i < n; i++) {
		TRY(compare(&same, s, ROUNDS, 0));
		TRY(compare(&three, s, ROUNDS, 3));
		TRY(compare(&one, s, ROUNDS, 1));
	}
	printf("resolution.launch %.2f ms >=5 %s\n", 1e3 * same.launch,
	       same.launch >= 0.005 ? "ok" : "SHORT");
	print_share("same_code_called_same", same.same, n, ">=95", 95);
	print_share("three_percent_told", three.faster, n, ">=95", 95);
	print_share("one_percent_told", one.faster, n, "said", 0);
	print_share("one_percent_told_wrongly", one.slower, n, "said", 0);
	printf("resolution.seconds_median %.2f s said ok\n",
	       stats_median(seconds, 3 * n));
	printf("resolution.seconds_longest %.2f s <=20 %s\n",
	       stats_quantile(seconds, 3 * n, 1),
	       stats_quantile(seconds, 3 * n, 1) <= 20 ? "ok" : "SHORT");
	return NULL;
}

static struct error *run_beside(struct stage *s, size_t n, size_t builds)
{
	cleanup_free double *seconds = xcalloc(n, sizeof *seconds);
	struct tally same = {.seconds = seconds};
	double percent;

	stage_end_load(s);
	for (size_t i = 0; i < n; i++)
		TRY(compare(&same, s, FEW_ROUNDS, 0));
	percent = 100 * (double)same.same / (double)n;
	printf("parallel.same_beside_%zu_builds %.1f %% >=95 %s\n", builds,
	       percent, percent >= 95 ? "ok" : "SHORT");
	printf("parallel.crowned_beside_%zu_builds %zu of_%zu 0 %s\n", builds,
	       same.confirmed, n, same.confirmed ? "SHORT" : "ok");
	printf("parallel.noticed_beside_%zu_builds %zu of_%zu said ok\n",
	       builds, same.unsteady, n);
	printf("parallel.seconds_beside_%zu_builds %.2f s said ok\n", builds,
	       stats_median(seconds, n));
	return NULL;
}

static struct error *run_finals(struct stage *s, size_t n)
{
	cleanup_free double *seconds = xcalloc(2 * n, sizeof *seconds);
	struct tally same = {.seconds = seconds, .final = true};
	struct tally third = {.seconds = seconds + n, .final = true};

	stage_end_load(s);
	for (size_t i = 0; i < n; i++) {
		TRY(compare(&same, s, FEW_ROUNDS, 0));
		TRY(compare(&third, s, FEW_ROUNDS, 30));
	}
	printf("resolution.final_equals_crowned %zu of_%zu 0 %s\n",
	       same.confirmed, n, same.confirmed ? "SHORT" : "ok");
	print_share("thirty_percent_crowned", third.confirmed, n, ">=90", 90);
	printf("resolution.final_by_all_sessions %zu of_%zu said ok\n",
	       third.together, third.confirmed);
	printf("resolution.final_seconds_median %.2f s said ok\n",
	       stats_median(seconds, 2 * n));
	return NULL;
}

static struct error *run_mode(struct stage *s, size_t n, const char *mode)
{
	if (!mode)
		return run(s, n);
	return str_eq(mode, "final")
		       ? run_finals(s, n)
		       : run_beside(s, n, strtoul(mode, NULL, 10));
}

int main(int argc, char **argv)
{
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 100;
	struct stage s;
	struct error *err;

	if (argc < 2 || n == 0)
		return 2;
	err = stage_open(&s, argv[1]);
	if (!err)
		err = run_mode(&s, n, argc > 3 ? argv[3] : NULL);
	stage_close(&s);
	if (err)
		fprintf(stderr, "resolution_bench: %s\n", error_message(err));
	return err != NULL;
}
