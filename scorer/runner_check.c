/* Does a runner keep the protocol (docs/runner-protocol.md)? Plays the scorer's
 * part with a source that is right, through the same code, and asks for what a
 * scoring seldom needs. */
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "scorer/contest/check.h"
#include "scorer/host/launch.h"
#include "scorer/scoring.h"

#define LAYOUTS	     4	  /* of each case */
#define BATCH	     6	  /* images, of which a series has half */
#define AGAIN	     4	  /* launches in the memory of another */
#define READIES	     150  /* more than the files it may have open */
#define REST_SECONDS 0.05 /* after DONE */
#define REST_CPU     0.005

struct runner_check {
	struct scorer *s;
	const struct build *build;
	const struct runner_check_report *report;
};

static struct error *start(struct arm **out, struct score_outcome *o,
			   const struct runner_check *c,
			   const struct build *build, const char *entry)
{
	const struct entry_points points = {
		.entry = entry, .prepare = entry ? c->s->task->prepare : NULL};
	cleanup_arm struct arm *arm = NULL;
	struct runner_spec spec;

	TRY(scoring_arm_spec(&spec, &c->s->scoring, build));
	TRY(arm_spawn(&arm, c->s->task, points, &spec));
	TRY(arm_ready(o, arm));
	*out = steal(&arm);
	return NULL;
}

/* ---- launches ------------------------------------------------------------ */

/* A set of `batch` images, of which a series launches half. */
static struct error *draw(struct input_set *s, const struct runner_check *c,
			  const struct task_case *which, int64_t batch,
			  bool series)
{
	struct scoring *sc = &c->s->scoring;

	TRY(set_init(s, sc->task, which, FILL_NORMAL, batch, &sc->secret,
		     &sc->layout));
	if (series)
		set_draw_series(s, &sc->secret);
	return judge_fill(sc->judge, s);
}

static struct error *compare_all(struct score_outcome *o,
				 const struct runner_check *c,
				 const struct input_set *s,
				 const struct buffers *b,
				 const struct task_case *which)
{
	struct scoring *sc = &c->s->scoring;
	double worst = 0;

	for (uint32_t i = 0; i < s->call.batch && !o->why; i++) {
		const struct selection all = {.index = i};

		if (!series_has(&s->series, i))
			continue;
		TRY(judge_reference(sc->judge, s, &all));
		TRY(check_outputs(o, &worst, sc, s, b, i, true, which->name));
	}
	return NULL;
}

/* *s and *b, which are empty, get what was launched. */
static struct error *launch_set(struct input_set *s, struct buffers *b,
				struct score_outcome *o,
				const struct runner_check *c, struct arm *arm,
				const struct task_case *which, int64_t batch,
				bool series)
{
	struct scoring *sc = &c->s->scoring;
	double seconds;

	TRY(draw(s, c, which, batch, series));
	TRY(scoring_prepare(o, sc, s, &arm, 1));
	if (o->why)
		return NULL;
	TRY(buffers_open(b, s, &sc->secret, &sc->layout));
	TRY(launch_timed(&seconds, o, arm, sc->judge, s, b));
	return o->why ? NULL : compare_all(o, c, s, b, which);
}

static struct error *launch(struct score_outcome *o,
			    const struct runner_check *c, struct arm *arm,
			    const struct task_case *which, int64_t batch,
			    bool series)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	cleanup_buffers struct buffers b = {
		.inputs = -1, .outputs = -1, .capture = -1};

	return launch_set(&s, &b, o, c, arm, which, batch, series);
}

/* ---- checks, each of one arm, or with processes of its own ----------------- */

static struct error *starts(struct score_outcome *o,
			    const struct runner_check *c, struct arm **arm)
{
	return start(arm, o, c, c->build, c->s->task->entry);
}

static struct error *launches_layouts(struct score_outcome *o,
				      const struct runner_check *c,
				      struct arm **arm)
{
	const struct task *t = c->s->task;

	for (size_t i = 0; i < t->n_cases; i++)
		for (size_t k = 0; k < LAYOUTS && !o->why; k++)
			TRY(launch(o, c, *arm, &t->cases[i], 1, false));
	return NULL;
}

static struct error *launches_batch(struct score_outcome *o,
				    const struct runner_check *c,
				    struct arm **arm)
{
	return launch(o, c, *arm, &c->s->task->cases[0], BATCH, false);
}

static struct error *launches_named(struct score_outcome *o,
				    const struct runner_check *c,
				    struct arm **arm)
{
	return launch(o, c, *arm, &c->s->task->cases[0], BATCH, true);
}

/* One of other contents after each launch, in the same memory, if the runner says
 * that it takes that. */
static struct error *launches_again(struct score_outcome *o,
				    const struct runner_check *c,
				    struct arm **arm)
{
	const struct task_case *which = &c->s->task->cases[0];
	struct scoring *sc = &c->s->scoring;
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	cleanup_buffers struct buffers b = {
		.inputs = -1, .outputs = -1, .capture = -1};
	double seconds;

	TRY(launch_set(&s, &b, o, c, *arm, which, 1, false));
	for (size_t i = 0; i < AGAIN && !o->why && arm_may_stay(*arm); i++) {
		cleanup_input_set struct input_set other = INPUT_SET_INIT;

		set_init_static(&other, &s, &sc->secret);
		TRY(judge_fill(sc->judge, &other));
		TRY(launch_again(&seconds, o, *arm, sc->judge, &other,
				 secret_u64(&sc->secret), &b));
		if (!o->why)
			TRY(compare_all(o, c, &other, &b, which));
	}
	return NULL;
}

/* Gets ready again and again, and launches after the last time only. */
static struct error *is_ready_often(struct score_outcome *o,
				    const struct runner_check *c,
				    struct arm **arm)
{
	const struct task_case *which = &c->s->task->cases[0];
	struct scoring *sc = &c->s->scoring;

	for (size_t i = 0; i < READIES && !o->why; i++) {
		cleanup_input_set struct input_set s = INPUT_SET_INIT;
		cleanup_buffers struct buffers b = {
			.inputs = -1, .outputs = -1, .capture = -1};

		TRY(draw(&s, c, which, 1, false));
		TRY(buffers_open(&b, &s, &sc->secret, &sc->layout));
		TRY(judge_take(sc->judge, &s, &b));
		TRY(arm_make_ready(o, *arm, &b));
	}
	return o->why ? NULL : launch(o, c, *arm, which, 1, false);
}

/* The process is stopped: runs for a moment in which it has nothing to do. */
static struct error *rests(struct score_outcome *o,
			   const struct runner_check *c, struct arm **arm)
{
	const struct timespec moment = {0, (long)(REST_SECONDS * 1e9)};
	const struct sandboxed *p = &(*arm)->runner->process;
	double cpu = sandboxed_cpu_seconds(p);

	(void)c;
	TRY(sandboxed_thaw(p));
	nanosleep(&moment, NULL);
	TRY(sandboxed_freeze(p));
	cpu = sandboxed_cpu_seconds(p) - cpu;
	if (cpu > REST_CPU)
		score_outcome_set(o, VERDICT_FORBIDDEN,
				  "%.3g ms of CPU time in %.3g ms after done",
				  1e3 * cpu, 1e3 * REST_SECONDS);
	return NULL;
}

static struct error *ends(struct score_outcome *o, const struct runner_check *c,
			  struct arm **arm)
{
	struct runner *r = (*arm)->runner;
	int code, number;

	(void)c;
	TRY(sandboxed_thaw(&r->process));
	shutdown(r->control, SHUT_RDWR);
	runner_end(r, &code, &number);
	if (code != 0)
		score_outcome_set(o, VERDICT_CRASHED,
				  "it had no exit status 0 within two seconds "
				  "(status %d, signal %d)",
				  code, number);
	return NULL;
}

/* What calls nothing leaves its outputs as they were: unwritten. */
static struct error *launches_nothing(struct score_outcome *o,
				      const struct runner_check *c,
				      struct arm **arm)
{
	cleanup_score_outcome struct score_outcome found = SCORE_OUTCOME_INIT;

	TRY(start(arm, o, c, c->build, NULL));
	if (o->why)
		return NULL;
	TRY(launch(&found, c, *arm, &c->s->task->cases[0], 1, false));
	if (found.verdict != VERDICT_WRONG)
		score_outcome_set(o, VERDICT_WRONG,
				  "a launch with empty: true must write "
				  "nothing, and answer: %s",
				  found.why ? found.why
					    : "its outputs are "
					      "right");
	return NULL;
}

/* Starts what cannot start; it must say so. */
static struct error *refuse(struct score_outcome *o,
			    const struct runner_check *c, struct arm **arm,
			    const struct build *build, const char *entry)
{
	cleanup_score_outcome struct score_outcome found = SCORE_OUTCOME_INIT;

	TRY(start(arm, &found, c, build, entry));
	if (found.verdict != VERDICT_BUILD_FAILED)
		score_outcome_set(o, VERDICT_WRONG,
				  "it must answer failed, with why: %s",
				  found.why ? found.why : "it started");
	return NULL;
}

static struct error *broken_copy(struct build *out, const struct build *build)
{
	static const char nonsense[] = "}{ this is no program (\n";

	out->runner = build->runner;
	TRY(fileset_copy(&out->files, &build->files));
	strvec_extend(&out->sources, &build->sources);
	for (size_t i = 0; i < out->sources.n; i++)
		TRY(fileset_put(&out->files, out->sources.v[i], nonsense,
				sizeof nonsense - 1, false));
	return NULL;
}

static struct error *refuses_nonsense(struct score_outcome *o,
				      const struct runner_check *c,
				      struct arm **arm)
{
	cleanup_build struct build broken = BUILD_INIT;

	TRY(broken_copy(&broken, c->build));
	return refuse(o, c, arm, &broken, c->s->task->entry);
}

static struct error *refuses_entry(struct score_outcome *o,
				   const struct runner_check *c,
				   struct arm **arm)
{
	return refuse(o, c, arm, c->build, "no_such_entry_here");
}

struct check {
	const char *what;
	struct error *(*run)(struct score_outcome *o,
			     const struct runner_check *c, struct arm **arm);
};

/* One after another with one process. */
static const struct check of_candidate[] = {
	{"start: it builds, loads the filter, and is alone", starts},
	{"go: the right outputs in every case, wherever buffers lie",
	 launches_layouts},
	{"go: every image of a batch", launches_batch},
	{"go: those images that are named, and no other", launches_named},
	{"go: again, if it says so, on other contents in the same memory",
	 launches_again},
	{"ready: many times before a launch", is_ready_often},
	{"done: nothing of it runs on", rests},
	{"the socket's end: exit status 0", ends},
};

static const struct check of_others[] = {
	{"start with empty: true: a launch writes nothing", launches_nothing},
	{"start of nonsense: failed, with a reason", refuses_nonsense},
	{"start with an entry that is not there: failed", refuses_entry},
};

/* Makes one check and says how it went; an error of the task is a failure of
 * it. */
static struct error *make_check(bool *ok, const struct check *what,
				const struct runner_check *c, struct arm **arm)
{
	cleanup_score_outcome struct score_outcome o = SCORE_OUTCOME_INIT;
	cleanup_error struct error *err = what->run(&o, c, arm);

	if (err && !error_is(err, ERROR_TASK))
		return steal(&err);
	*ok = !err && o.verdict == VERDICT_PASS;
	c->report->line(c->report->arg, *ok, what->what,
			err ? error_message(err) : o.why);
	return NULL;
}

/* A process that failed is over, and with it what would follow. */
static struct error *make_checks(const struct runner_check *c)
{
	cleanup_arm struct arm *arm = NULL;
	bool ok = true;

	for (size_t i = 0; i < ARRAY_SIZE(of_candidate) && ok; i++)
		TRY(make_check(&ok, &of_candidate[i], c, &arm));
	for (size_t i = 0; i < ARRAY_SIZE(of_others); i++) {
		cleanup_arm struct arm *own = NULL;

		TRY(make_check(&ok, &of_others[i], c, &own));
	}
	return NULL;
}

struct error *scorer_check_runner(struct evaluator *e,
				  const struct candidate *candidate,
				  const struct runner_check_report *report)
{
	struct scorer *s = (struct scorer *)e;
	cleanup_build struct build build = BUILD_INIT;
	struct runner_check check = {s, &build, report};

	if (s->task->language != LANGUAGE_RUNNER)
		return error_new(ERROR_REFUSED,
				 "%s: only a task with language: {runner: "
				 "[...]} has a runner to be checked",
				 s->task->path);
	TRY(build_candidate(&build, s->builder, &candidate->files));
	if (!build.ok)
		return error_new(ERROR_REFUSED, "%s", build.first_error);
	scorer_reseed(s, 0);
	TRY(scorer_need_judge(s));
	return scorer_drop_judge(s, make_checks(&check));
}
