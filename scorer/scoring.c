#include "scorer/scoring.h"

#include "core/base/clock.h"
#include "scorer/contest/correctness.h"
#include "scorer/contest/suite.h"
#include "scorer/contest/gpu_contest.h"
#include "scorer/contest/series.h"
#include "scorer/device/lock.h"
#include "scorer/host/gpu_setup.h"
#include "scorer/inspect/sanitizer.h"
#include "scorer/host/launchers.h"

/* Per CPU: several times what any core does, so that more is not a measurement. */
#define IMPOSSIBLE_FLOPS 2e13
#define IMPOSSIBLE_BYTES 4e12

static struct error *test_judge(struct scorer *s)
{
	if (s->task->language != LANGUAGE_CUDA)
		return NULL;
	return scorer_drop_judge(s, gpu_judge_self_test(s->scoring.judge));
}

struct error *scorer_need_judge(struct scorer *s)
{
	struct runner_spec spec;

	if (s->scoring.judge)
		return test_judge(s);
	TRY(scorer_judge_spec(&spec, s));
	if (s->task->language == LANGUAGE_CUDA) {
		spec.role = "gpu-judge";
		spec.gpu = s->scoring.gpu;
		spec.gives = true;
		spec.folders = s->scoring.folders;
	}
	TRY(judge_start(&s->scoring.judge, s->task, &spec));
	return test_judge(s);
}

struct error *scorer_drop_judge(struct scorer *s, struct error *err)
{
	if (err) {
		judge_free(s->scoring.judge);
		s->scoring.judge = NULL;
	}
	return err;
}

/* ---- what the card can do at most ---------------------------------------- */

/* A scoring held against what its card can do at most. */

/* What a first scoring spends on each ceiling of the card. */
#define SHORT_SECONDS 0.2

/* What the card can do, once: as it is kept, else measured shortly and kept.
 * Where it cannot be measured the user is told, and nothing depends on it. */
static struct error *scorer_need_ceilings(struct scorer *s)
{
	const struct scorer_options *o = &s->options;
	cleanup_error struct error *err = NULL;

	if (s->ceilings_sought || !s->gpus.n ||
	    s->task->language != LANGUAGE_CUDA)
		return NULL;
	s->ceilings_sought = true;
	if (ceilings_load(&s->ceilings, o->cache_dir, &s->gpus))
		return NULL;
	TRY(launchers_await(&s->scoring));
	if (o->say)
		o->say("measuring what the card can do, once: about 3 s");
	err = ceilings_measure(&s->ceilings, s->scoring.sandbox,
			       s->scoring.program_fd, &s->gpus, SHORT_SECONDS,
			       o->stop_now);
	if (err && error_is(err, ERROR_INTERRUPTED))
		return steal(&err);
	if (!err && o->cache_dir)
		err = ceilings_keep(&s->ceilings, o->cache_dir);
	if (err && o->say)
		o->say(error_message(err));
	return NULL;
}

/* Does another program time something on the card? Then not even the driver's
 * start should disturb it. */
static struct error *is_in_use(bool *out, const struct scorer *s)
{
	cleanup_fd int lock = -1;

	TRY(gpu_lock_try(&lock, "/tmp", s->gpus.gpu[0].uuid));
	*out = lock < 0;
	return NULL;
}

struct error *scorer_get_ready(struct scorer *s)
{
	/* As most of a run's are. */
	const struct score_request usual = {.n_rivals = 1};
	bool used;

	if (s->task->language != LANGUAGE_CUDA || !scorer_has_device(s))
		return NULL;
	TRY(is_in_use(&used, s));
	if (used)
		return NULL;
	TRY(scorer_need_ceilings(s));
	/* That took seconds, or waited for the card. */
	TRY(is_in_use(&used, s));
	if (used)
		return NULL;
	TRY(scorer_need_judge(s));
	if (!gpu_replays(&s->scoring))
		return NULL;
	return launchers_expect(&s->scoring, score_spares(&usual));
}

struct error *score_against_card(struct measurement *m, struct case_result *r,
				 const struct scorer *s,
				 const struct task_case *tc)
{
	struct floor floor = {0};

	if (!s->ceilings.time_us)
		return NULL;
	TRY(ceilings_floor(&floor, &s->ceilings, s->task, tc));
	r->ceiling = floor.seconds / r->seconds;
	if (r->seconds < floor.least)
		measurement_fail(m, VERDICT_IMPOSSIBLE,
				 "case %s took %.4g us a launch, but %s (or "
				 "the task's flops or bytes say more than has "
				 "to be done)",
				 tc->name, 1e6 * r->seconds, floor.why);
	return NULL;
}

/* Of a comparison that begins when the time is up: a few rounds. */
#define LEAST_SECONDS 0.1

/* ---- one scoring ---------------------------------------------------------- */

void contenders_init(struct contenders *f, struct scorer *s,
		     const struct score_request *r)
{
	*f = (struct contenders){.scorer = s, .request = r};
	f->candidate = (struct build)BUILD_INIT;
	f->rival = xcalloc(r->n_rivals, sizeof *f->rival);
	for (size_t i = 0; i < r->n_rivals; i++)
		f->rival[i] = (struct build)BUILD_INIT;
	f->case_error = xcalloc(s->task->n_cases, sizeof *f->case_error);
	f->cost = xcalloc(s->task->n_cases, sizeof *f->cost);
	f->n_baselines = r->baselines ? s->task->n_baselines : 0;
}

double contenders_seconds(const struct contenders *f)
{
	double most = f->scorer->options.comparison_seconds;
	double left = f->request->until - clock_seconds();

	if (!(f->request->until > 0) || (left >= most && most > 0))
		return most;
	/* 0 means no limit where commands report. */
	return MAX(left, LEAST_SECONDS);
}

void contenders_release(struct contenders *f)
{
	contest_free(f->ahead);
	build_release(&f->candidate);
	for (size_t i = 0; f->rival && i < f->request->n_rivals; i++)
		build_release(&f->rival[i]);
	free(f->rival);
	free(f->case_error);
	free(f->cost);
}

/* ---- a contest in which another than the candidate failed ---------------- */

/* A contest that ended since another than the candidate failed. */

/* The task's own code is tried so often: a crash may be the machine's. */
#define BASELINE_TRIES 3

struct error *contenders_drop_rival(struct contenders *f, size_t rival,
				    enum verdict v, const char *why)
{
	const struct score_request *r = f->request;

	if (!r->rival_failure)
		return error_new(ERROR_TASK,
				 "cannot compare with %s: it fails itself: %s",
				 r->rivals[rival].candidate->id.hex, why);
	rival_failure_release(r->rival_failure);
	*r->rival_failure = (struct rival_failure){.failed = true,
						   .rival = rival,
						   .verdict = v,
						   .why = xstrdup(why)};
	f->rival_failed = true;
	return NULL;
}

/* Replayed it does something else than when it is called, which says nothing
 * against it: the first phase finds that of a candidate (gpu_correctness). */
static bool may_be_the_replay(const struct contenders *f,
			      const struct score_outcome *o)
{
	const struct scorer *s = f->scorer;

	return s->task->language == LANGUAGE_CUDA && !s->scoring.isolated[0] &&
	       s->task->launch_class != LAUNCH_REPLAYED &&
	       gpu_is_of_replay(o->verdict);
}

struct error *score_rival_failed(struct score_outcome *o, struct contenders *f,
				 const struct contest *c)
{
	const struct contender *who = &c->contender[c->failed];
	struct scoring *sc = &f->scorer->scoring;
	cleanup_score_outcome struct score_outcome its = *o;

	*o = (struct score_outcome)SCORE_OUTCOME_INIT;
	if (sc->judge)
		sc->judge->tested = false;
	launchers_clear(&sc->launchers);
	kept_plans_clear(&sc->plans);
	if (who->points.trusted && ++f->baseline_failures < BASELINE_TRIES)
		return NULL;
	if (who->points.trusted)
		return error_new(ERROR_TASK,
				 "cannot compare with %s: it fails itself: %s",
				 who->name, its.why);
	if (!may_be_the_replay(f, &its))
		return contenders_drop_rival(f, c->failed - 1, its.verdict,
					     its.why);
	snprintf(sc->isolated, sizeof sc->isolated,
		 "replayed %.12s is something else than called: %s", who->name,
		 its.why);
	return NULL;
}

/* ---- rivals, built --------------------------------------------------------- */

static struct error *no_build(struct contenders *f, size_t rival)
{
	cleanup_free char *why =
		xasprintf("it does not build: %s", f->rival[rival].first_error);

	return contenders_drop_rival(f, rival, VERDICT_BUILD_FAILED, why);
}

/* Once each; *all: they build. */
static struct error *build_each(bool *all, struct contenders *f)
{
	*all = true;
	for (size_t i = 0; i < f->request->n_rivals && *all; i++) {
		struct build *b = &f->rival[i];

		if (b->ok)
			continue;
		build_release(b);
		*b = (struct build)BUILD_INIT;
		TRY(build_candidate(b, f->scorer->builder,
				    &f->request->rivals[i].candidate->files));
		*all = b->ok;
	}
	return NULL;
}

struct error *contenders_build_rivals(struct contenders *f)
{
	struct scorer *s = f->scorer;
	bool all;

	TRY(build_each(&all, f));
	for (size_t i = 0; i < f->request->n_rivals; i++)
		if (!f->rival[i].ok)
			return no_build(f, i);
	for (size_t i = 0; i < f->n_baselines; i++)
		TRY(scorer_build_once(&s->baseline[i], s,
				      &s->task->baselines[i]));
	return NULL;
}

struct contest *contenders_contest(struct contenders *f, size_t n_rivals,
				   size_t n_baselines)
{
	struct scorer *s = f->scorer;
	struct contest *c = contest_new(&s->scoring, 1 + n_rivals + n_baselines,
					f->case_error, f->cost);

	c->contender[0].name = f->request->candidate->id.hex;
	c->contender[0].build = &f->candidate;
	c->contender[0].points = scoring_points(s->task);
	for (size_t i = 0; i < n_rivals; i++) {
		struct contender *who = &c->contender[1 + i];

		who->name = f->request->rivals[i].candidate->id.hex;
		who->build = &f->rival[i];
		who->points = scoring_points(s->task);
	}
	for (size_t i = 0; i < n_baselines; i++) {
		struct contender *who = &c->contender[1 + n_rivals + i];

		who->name = s->task->baselines[i].name;
		who->build = &s->baseline[i];
		who->build = &s->baseline[i];
		who->points = (struct entry_points){
			s->task->baselines[i].entry,
			s->task->baselines[i].prepare,
			s->task->baselines[i].setup, true};
	}
	return c;
}

/* ---- figures --------------------------------------------------------------- */

static void fail(struct measurement *m, struct score_outcome *o)
{
	measurement_fail(m, o->verdict, "%s", o->why);
	if (o->log && o->log[0]) {
		free(m->log);
		m->log = steal(&o->log);
	}
}

/* A larger share of a launch that is not the kernel's is worth a warning. */
#define FIXED_SHARE 0.1
/* Above this nothing is taken off, and no ratio is said. */
#define FIXED_MOST 0.5

/* The share of a hand-over that is not the kernel's. */
static double fixed_share(const struct case_result *r)
{
	return (r->overhead + r->fixed) / (r->seconds + r->fixed);
}

static char *fixed_words(const struct case_result *r)
{
	char percent[32], off[32];

	measurement_format_percent(percent, sizeof percent, fixed_share(r));
	if (!(r->fixed > 0))
		return xasprintf("%s of a launch in case %s are handing inputs "
				 "over and taking outputs, the same for all: "
				 "ratios are nearer to 1 than those of the "
				 "kernels alone%s",
				 percent, r->name,
				 fixed_share(r) > FIXED_MOST
					 ? ", and only those of whole launches "
					   "are said"
					 : "");
	measurement_format_percent(off, sizeof off,
				   r->fixed_error / r->seconds);
	return xasprintf("in case %s %s of what was timed were handing inputs "
			 "over and taking outputs; that was taken off, so the "
			 "time is right to %s at best",
			 r->name, percent, off);
}

/* Of the case with the largest share. */
static void tell_fixed(struct measurement *m)
{
	const struct case_result *worst = NULL;
	cleanup_free char *text = NULL;

	for (size_t i = 0; i < m->n_cases; i++)
		if (!worst || fixed_share(&m->cases[i]) > fixed_share(worst))
			worst = &m->cases[i];
	if (!worst || fixed_share(worst) <= FIXED_SHARE)
		return;
	text = fixed_words(worst);
	measurement_set(m, "fixed", text);
}

/* Is the work, as the task states it, more than any machine does in the time? */
static struct error *check_possible(struct measurement *m, const struct task *t,
				    const struct task_case *tc, double seconds)
{
	const struct expr *e = t->flops ? t->flops : t->bytes;
	double most = t->flops ? IMPOSSIBLE_FLOPS : IMPOSSIBLE_BYTES;
	struct symbols symbols = task_symbols(t, tc);
	int64_t work;

	if (!e || t->language == LANGUAGE_CUDA)
		return NULL;
	TRY(error_wrap(expr_eval(&work, e, &symbols), "%s: case %s", t->path,
		       tc->name));
	if ((double)work / seconds > most * (double)MAX(t->threads, 1U))
		measurement_fail(m, VERDICT_IMPOSSIBLE,
				 "%.3g /s in case %s: no machine does that",
				 (double)work / seconds, tc->name);
	return NULL;
}

/* What is fixed is taken off, unless that would be most of it. */
static void set_seconds(struct case_result *r, const struct contest *c,
			size_t which)
{
	const struct samples *s = &c->seconds[which];
	double whole = stats_median(s->value, s->n);
	double fixed = series_fixed(c, which);

	r->seconds = whole;
	r->spread = (stats_quantile(s->value, s->n, 0.75) -
		     stats_quantile(s->value, s->n, 0.25)) /
		    2 / whole;
	r->launches = s->n * MAX(c->in_series[which], 1U);
	if (c->gpu || fixed > FIXED_MOST * whole) {
		r->overhead = fixed;
		return;
	}
	r->fixed = fixed;
	r->fixed_error = series_fixed_error(c, which);
	r->seconds -= fixed;
	r->spread *= whole / r->seconds;
}

/* Median seconds and the rate of every case; the headline. */
static struct error *report_cases(struct measurement *m, struct contenders *f,
				  const struct contest *c)
{
	const struct task *t = f->scorer->task;
	cleanup_free double *rate = xcalloc(t->n_cases, sizeof *rate);
	cleanup_free double *weight = xcalloc(t->n_cases, sizeof *weight);

	for (size_t i = 0; i < t->n_cases; i++) {
		const struct task_case *tc = &t->cases[i];
		struct case_result *r = measurement_add_case(m, tc->name);
		double work;

		TRY(task_work(&work, &m->rate_is_bytes, t, tc));
		r->weight = weight[i] = tc->weight;
		r->error = f->case_error[i];
		set_seconds(r, c, i);
		r->rate = rate[i] = work / r->seconds;
		TRY(score_against_card(m, r, f->scorer, tc));
		TRY(check_possible(m, t, tc, r->seconds));
	}
	if (m->verdict == VERDICT_PASS)
		m->score = stats_geomean(rate, weight, t->n_cases);
	tell_fixed(m);
	return NULL;
}

/* What the reader should know of the minutes it was timed in. */
static void tell_steadiness(struct measurement *m, const struct contest *c)
{
	cleanup_free char *why = NULL;

	steadiness_end(&why, &c->steady);
	if (why)
		measurement_set(m, "unsteady", why);
}

static void set_number(struct measurement *m, const char *key, double v,
		       const char *unit)
{
	cleanup_free char *text = xasprintf("%.0f%s", v, unit);

	measurement_set(m, key, text);
}

static void set_unit(struct measurement *m, const struct task *t)
{
	double size = unit_size(t->unit ? t->unit : "",
				t->quantity ? t->quantity : "OPS");
	char text[32];

	if (task_is_reported(t)) /* it is said in the unit already */
		size = 1;

	if (!t->unit)
		return;
	measurement_set(m, UNIT_KEY, t->unit);
	snprintf(text, sizeof text, "%g", size);
	if (size > 0)
		measurement_set(m, UNIT_SIZE_KEY, text);
}

void score_environment(struct measurement *m, const struct scorer *s,
		       const struct build *b)
{
	const struct machine *machine = &s->machine;

	for (size_t i = 0; i < machine->n_facts; i++)
		measurement_set(m, machine->fact[i].key,
				machine->fact[i].value);
	measurement_set(m, "machine", machine->name);
	set_unit(m, s->task);
	measurement_set(m, "sandbox", sandbox_describe(s->scoring.sandbox));
	set_number(m, "load", machine_load(), "");
	if (task_is_reported(s->task)) {
		if (s->task->score.lower_is_better)
			measurement_set(m, BETTER_KEY, BETTER_LOWER);
		return;
	}
	measurement_set(m, "compiler", builder_compiler(s->builder));
	measurement_set(m, "flags", b->flags);
	if (builder_arch(s->builder))
		measurement_set(m, "arch", builder_arch(s->builder));
	if (s->task->language == LANGUAGE_CUDA && s->task->cache == CACHE_WARM)
		measurement_set(m, "cache", "warm");
	if (b->n_cubins)
		measurement_set(m, "cubins", b->cubins_id);
	set_number(m, "threads", (double)s->task->threads, "");
	set_number(m, "check", (double)s->task->check, "");
}

/* "library.fa3=...": what else of the machine a baseline is. */
static void set_libraries(struct measurement *m, const struct contenders *f)
{
	const struct scorer *s = f->scorer;

	for (size_t i = 0; i < f->n_baselines; i++) {
		const char *said = builder_libraries(s->builder, i);
		cleanup_free char *key =
			xasprintf("library.%s", s->task->baselines[i].name);

		if (*said)
			measurement_set(m, key, said);
	}
}

static struct error *report(struct score_outcome *o, struct measurement *m,
			    struct contenders *f, const struct contest *c)
{
	const struct score_request *r = f->request;

	m->noise = contest_noise(c);
	if (!c->gpu)
		set_number(m, "overhead", 1e6 * series_fixed(c, 0), "us");
	set_libraries(m, f);
	if (c->versions)
		measurement_set(m, "runner", c->versions);
	score_comparisons(m, f, c);
	tell_steadiness(m, c);
	if (c->gpu)
		gpu_contest_record(m, c->gpu);
	if (r->confirm && r->n_rivals > 0 &&
	    m->comparisons[0].decision == DECISION_FASTER)
		TRY(score_confirm(o, m, f, contest_floor(c)));
	return o->verdict == VERDICT_PASS && !f->rival_failed
		       ? report_cases(m, f, c)
		       : NULL;
}

/* A win is confirmed, and a process is not what one observation is of. */
static bool used_before(const struct contenders *f)
{
	return score_twin_waits(f->request) && !f->request->patient &&
	       !f->scorer->scoring.short_launches;
}

/* Once; *again: a contest is to be made again. */
static struct error *time_once(struct score_outcome *o, bool *again,
			       struct measurement *m, struct contenders *f)
{
	const struct score_request *r = f->request;
	cleanup_contest struct contest *c = steal(&f->ahead);

	if (!c)
		c = contenders_contest(f, r->n_rivals, f->n_baselines);

	score_hurry(&c->design, r);
	c->twinless = score_twin_waits(r);
	c->thorough = r->thorough;
	TRY(contest_run(o, c, contenders_seconds(f)));
	*again = c->failed > 0;
	if (*again)
		return score_rival_failed(o, f, c);
	return o->verdict == VERDICT_PASS ? report(o, m, f, c) : NULL;
}

/* Times a candidate that is right. */
static struct error *time_it(struct score_outcome *o, struct measurement *m,
			     struct contenders *f)
{
	bool again = true;

	stage_begin(f->scorer->options.stage, STAGE_BUILD);
	TRY(contenders_build_rivals(f));
	while (again && !f->rival_failed)
		TRY(time_once(o, &again, m, f));
	return NULL;
}

/* Known at the end: one rival that cannot be replayed makes a comparison one
 * of class isolated. */
static void set_class(struct measurement *m, const struct scorer *s)
{
	bool replayed = s->task->language == LANGUAGE_CUDA &&
			!s->scoring.isolated[0];

	m->trust = replayed ? TRUST_REPLAYED : TRUST_ISOLATED;
	if (s->scoring.isolated[0])
		measurement_set(m, "isolated", s->scoring.isolated);
}

static void take_figures(void *arg, const char *id,
			 const struct measurement *before)
{
	struct measurement *m = arg;

	if (before->verdict != VERDICT_PASS || before->trust != TRUST_REPLAYED)
		return;
	measurement_set(m, "same_code", id);
	for (size_t i = 0; i < before->n_cases; i++) {
		const struct case_result *was = &before->cases[i];
		struct case_result *c = measurement_add_case(m, was->name);
		char *name = c->name;

		*c = *was;
		c->name = name;
	}
	m->score = before->score;
	m->rate_is_bytes = before->rate_is_bytes;
	m->noise = before->noise;
}

/* Another source, the same machine code launched the same way: its figures
 * are those of before. */
static bool same_as_before(struct measurement *m, const struct contenders *f,
			   const char *code)
{
	const struct score_request *r = f->request;
	const struct code_found found = {take_figures, m};

	if (!r->find_code || !*code || f->scorer->scoring.isolated[0])
		return false;
	r->find_code(r->find_code_arg, code, &found);
	return measurement_get(m, "same_code") != NULL;
}

size_t score_spares(const struct score_request *r)
{
	return 1 + 2 * (1 + r->n_rivals) + (score_twin_waits(r) ? 0 : 1);
}

/* Spares that are needed once the candidate is checked: launchers of its
 * contest. Where pairs of processes are many, as many as may be, since the card
 * is at rest while a contest waits for them. */
static struct error *spares_soon(size_t *n, const struct scoring *sc,
				 const struct score_request *r)
{
	cleanup_fd int lock = -1;

	*n = 1 + r->n_rivals + (score_twin_waits(r) ? 0 : 1);
	if (!sc->short_launches)
		return NULL;
	/* Another avogit may be timing: no more of it than needed. */
	TRY(gpu_lock_try(&lock, "/tmp", sc->gpu->uuid));
	if (lock >= 0)
		*n = LAUNCHERS_MOST;
	return NULL;
}

/* Only where baselines are compared, too: a search asks for neither. */
static struct error *ask_suite(struct measurement *m, struct contenders *f,
			       enum verdict v)
{
	const struct task *t = f->scorer->task;
	char text[64];
	size_t passed;

	if (!t->kernelbench || !f->n_baselines ||
	    t->language == LANGUAGE_CUDA ||
	    (v != VERDICT_PASS && v != VERDICT_WRONG))
		return NULL;
	TRY(suite_check(&passed, &f->scorer->scoring, &f->candidate));
	snprintf(text, sizeof text, "%zu of %d trials", passed, SUITE_TRIALS);
	measurement_set(m, SUITE_KEY, text);
	return NULL;
}

/* Captures for the contest before the candidate is checked, by the process that
 * captures for that, too: one less opens the card. *o: the candidate failed in
 * it; if a rival did, the contest is to find out. */
static struct error *capture_ahead(struct score_outcome *o,
				   struct runner **capturer,
				   struct contenders *f)
{
	struct scorer *s = f->scorer;
	double start = clock_seconds();
	bool all, others;

	/* Too many are contest_run's to refuse. */
	if (!gpu_replays(&s->scoring) || s->scoring.isolated[0] ||
	    1 + f->request->n_rivals + f->n_baselines + 2 > HALF_MAX_SLOTS)
		return NULL;
	TRY(build_each(&all, f));
	if (!all)
		return NULL;
	f->ahead = contenders_contest(f, f->request->n_rivals, f->n_baselines);
	f->ahead->used_before = used_before(f);
	f->ahead->gpu = gpu_contest_new(f->ahead);
	TRY(gpu_contest_capture_first(o, capturer, f->ahead->gpu));
	s->scoring.seconds_starting += clock_seconds() - start;
	if (*capturer)
		return NULL;
	others = f->ahead->failed > 0;
	contest_free(f->ahead);
	f->ahead = NULL;
	if (o->verdict == VERDICT_PASS || !others)
		return NULL;
	score_outcome_release(o);
	*o = (struct score_outcome)SCORE_OUTCOME_INIT;
	/* What hurt one context may have hurt the card, and others. */
	launchers_clear(&s->scoring.launchers);
	s->scoring.judge->tested = false;
	return scorer_need_judge(s);
}

static struct error *run_phases(struct measurement *m, struct contenders *f)
{
	struct scorer *s = f->scorer;
	cleanup_score_outcome struct score_outcome o = SCORE_OUTCOME_INIT;
	cleanup_buf struct buf checked = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf unreached = BUF_INIT(BUF_LIMIT_TEXT);
	struct correctness found = {.case_error = f->case_error,
				    .cost = f->cost,
				    .checked = &checked,
				    .unreached = &unreached,
				    .files = &f->request->candidate->files};
	cleanup_runner struct runner *capturer = NULL, *launcher = NULL;
	size_t soon;

	TRY(gpu_choose_class(&s->scoring));
	TRY(scorer_need_ceilings(s));
	TRY(scorer_need_judge(s));
	if (s->task->language == LANGUAGE_CUDA) {
		s->scoring.spares_next =
			f->request->winners_only ? score_spares(f->request) : 0;
		TRY(spares_soon(&soon, &s->scoring, f->request));
		TRY(capture_ahead(&o, &capturer, f));
		if (o.verdict == VERDICT_PASS)
			TRY(gpu_correctness(&o, &found, &s->scoring,
					    &f->candidate, &capturer,
					    used_before(f) ? &launcher : NULL,
					    soon));
		if (f->ahead)
			gpu_contest_lend(f->ahead->gpu, &launcher);
	} else {
		TRY(correctness_check(&o, &found, &s->scoring, &f->candidate));
	}
	if (checked.len)
		measurement_set(m, "checked", checked.data);
	if (unreached.len && o.verdict == VERDICT_PASS)
		measurement_set(m, "unreached", unreached.data);
	if (found.repeats) {
		measurement_set(m, "deterministic",
				found.unlike ? "no" : "yes");
		set_number(m, "repeats", (double)found.repeats, "");
	}
	if (found.code[0] && !s->scoring.isolated[0])
		measurement_set(m, "code", found.code);
	TRY(ask_suite(m, f, o.verdict));
	if (o.verdict == VERDICT_PASS && !same_as_before(m, f, found.code))
		TRY(time_it(&o, m, f));
	if (f->rival_failed)
		return NULL;
	if (o.verdict == VERDICT_PASS && sanitize_wanted(m, f->request))
		TRY(sanitize_candidate(&o, m, s, &f->candidate,
				       f->request->sanitizers));
	if (o.verdict != VERDICT_PASS)
		fail(m, &o);
	/* What hurt one context may have hurt the card, and others. */
	if (o.verdict == VERDICT_CRASHED || o.verdict == VERDICT_TIMED_OUT ||
	    o.verdict == VERDICT_OUT_OF_BOUNDS) {
		s->scoring.judge->tested = false;
		launchers_clear(&s->scoring.launchers);
	}
	set_class(m, s);
	return NULL;
}

/* How long the card had work: launches, and the judge's kernels. */
static void tell_card_time(struct measurement *m)
{
	cleanup_free char *text =
		xasprintf("%.2f", m->seconds_timed + m->seconds_judge);

	measurement_set(m, "gpu_seconds", text);
}

struct error *score_built(struct measurement *m, struct contenders *f)
{
	struct scorer *s = f->scorer;
	double judged = 0;
	struct error *err;

	if (s->scoring.judge)
		judged = s->scoring.judge->seconds;
	s->scoring.seconds_timed = 0;
	s->scoring.seconds_starting = 0;
	err = run_phases(m, f);
	if (s->scoring.judge)
		m->seconds_judge = s->scoring.judge->seconds - judged;
	m->seconds_timed = s->scoring.seconds_timed;
	m->seconds_starting = s->scoring.seconds_starting;
	if (s->task->language == LANGUAGE_CUDA)
		tell_card_time(m);
	if (err)
		launchers_clear(&s->scoring.launchers);
	return scorer_drop_judge(s, err);
}
