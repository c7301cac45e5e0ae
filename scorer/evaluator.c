#include "scorer/scorer.h"

#include <math.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "scorer/contest/alone.h"
#include "scorer/contest/gpu_contest.h"
#include "scorer/device/lock.h"
#include "scorer/host/gpu_setup.h"
#include "scorer/inspect/microbenchmark.h"
#include "scorer/inspect/profile.h"
#include "scorer/scoring.h"
#include "scorer/host/launchers.h"
#include "scorer/build/prefetch.h"

#define COMPARISON_SECONDS 20.0

static struct scorer *scorer_of(struct evaluator *e)
{
	return (struct scorer *)e;
}

static void identify(struct evaluator *e, struct identity *out,
		     const struct candidate *c)
{
	struct scorer *s = scorer_of(e);

	memset(out, 0, sizeof *out);
	memcpy(out->task, s->task_id, sizeof out->task);
	snprintf(out->sources, sizeof out->sources, "%.*s", IDENTITY_HEX_LEN,
		 c->sources_id);
	memcpy(out->machine, s->machine.kind, sizeof out->machine);
	snprintf(out->scorer, sizeof out->scorer, "%s",
		 task_is_reported(s->task) ? REPORTED_VERSION : SCORER_VERSION);
}

static const char *machine_name(struct evaluator *e)
{
	return scorer_of(e)->machine.name;
}

/* Ceilings only where they are kept from before: none is measured for it. */
static void machine_about(struct evaluator *e, struct buf *out)
{
	struct scorer *s = scorer_of(e);

	if (s->task->language != LANGUAGE_CUDA) {
		machine_add_cpu_words(out);
		return;
	}
	if (!s->gpus.n)
		return;
	if (!s->ceilings.time_us)
		ceilings_load(&s->ceilings, s->options.cache_dir, &s->gpus);
	ceilings_add_words(out, &s->gpus.gpu[0], &s->ceilings);
}

/* A runner builds when it is started. */
static struct error *build_by_runner(bool *ok, char **log, struct scorer *s,
				     const struct build *b)
{
	cleanup_score_outcome struct score_outcome o = SCORE_OUTCOME_INIT;
	cleanup_arm struct arm *arm = NULL;
	struct runner_spec spec;

	TRY(scoring_arm_spec(&spec, &s->scoring, b));
	TRY(arm_spawn(&arm, s->task, scoring_points(s->task), &spec));
	TRY(arm_ready(&o, arm));
	*ok = o.verdict == VERDICT_PASS;
	*log = xstrdup(o.log && *o.log ? o.log : o.why ? o.why : "");
	return NULL;
}

static struct error *build(struct evaluator *e, bool *ok, char **log,
			   const struct candidate *c)
{
	cleanup_build struct build b = BUILD_INIT;

	TRY(build_candidate(&b, scorer_of(e)->builder, &c->files));
	if (b.ok && b.runner && scorer_of(e)->task->language != LANGUAGE_CUDA)
		return build_by_runner(ok, log, scorer_of(e), &b);
	*ok = b.ok;
	*log = xstrdup(b.log ? b.log : "");
	return NULL;
}

static bool prefetch_build(struct evaluator *e, const struct candidate *c,
			   bool is_sure)
{
	struct scorer *s = scorer_of(e);

	return prefetch_begin(&s->prefetch, s->builder, c, is_sure);
}

static size_t choose_ahead(struct evaluator *e)
{
	const struct scorer *s = scorer_of(e);

	return prefetch_wanted(&s->prefetch, s->score_seconds,
			       prefetch_at_once());
}

/* Of those that are built before they are asked for one is enough; what was kept is not a build. */
static void learn_seconds(struct scorer *s, const struct measurement *m,
			  double since)
{
	s->prefetch.seconds = MAX(s->prefetch.seconds, m->seconds_build);
	s->score_seconds = clock_seconds() - since;
}

static struct error *profile(struct evaluator *e, struct buf *text,
			     const struct candidate *c,
			     const struct profile_wish *wish)
{
	return profile_candidate(text, e, c, wish);
}

/* What the build said is all there is to say. */
static void not_run(struct measurement *m, const struct scorer *s)
{
	if (s->task->python)
		measurement_fail(m, VERDICT_NOT_RUN,
				 "nothing was run, since there is no GPU here "
				 "that could: %s",
				 s->gpus.why);
	else
		measurement_fail(
			m, VERDICT_NOT_RUN,
			"it builds for %s; nothing was run, since there is no "
			"GPU here that could: %s",
			builder_arch(s->builder), s->gpus.why);
}

/* Made while a compiler is at work. */
static struct error *expect_launchers(struct scorer *s,
				      const struct score_request *r)
{
	if (!gpu_replays(&s->scoring) || s->scoring.isolated[0])
		return NULL;
	return launchers_expect(&s->scoring, score_spares(r));
}

/* A compiler that said one line has said it in the verdict. */
static char *more_than(const char *log, const char *said)
{
	return log && !str_eq(log, said) ? xstrdup(log) : NULL;
}

static void say_waiting(void *arg)
{
	struct scorer *s = arg;

	if (s->options.say && !s->said_waiting)
		s->options.say("another avogit is timing on the CPUs here: "
			       "this one waits for it before every scoring");
	s->said_waiting = true;
}

/* For the whole of a scoring: what is built and checked for one would disturb
 * what is timed for another. A judge is where the arms are. */
static struct error *lease_cpus(struct cpu_lease *l, struct scorer *s)
{
	/* A command that scores has them all, if it does not say less. */
	unsigned threads = s->task->threads	       ? s->task->threads
			   : task_is_reported(s->task) ? machine_cpus()
						       : 1;
	const struct lock_wait wait = {.stop_now = s->options.stop_now,
				       .stop = s->options.stop,
				       .say = say_waiting,
				       .arg = s};
	cpu_set_t ours;
	double since;
	struct error *err;

	if (s->task->language == LANGUAGE_CUDA || !s->options.locks)
		return NULL;
	if (sched_getaffinity(0, sizeof ours, &ours) < 0)
		return error_errno("sched_getaffinity");
	since = clock_seconds();
	err = cpu_lease_take(l, s->options.locks, &ours, threads, &wait);
	if (s->options.waited)
		*s->options.waited += clock_seconds() - since;
	TRY(err);
	if (s->scoring.judge && !CPU_EQUAL(&s->scoring.cpus, &l->arms)) {
		judge_free(s->scoring.judge);
		s->scoring.judge = NULL;
	}
	s->scoring.cpus = l->arms;
	return NULL;
}

/* The CPUs as for a scoring: nothing else is timed there meanwhile. */
static struct error *microbenchmark(struct evaluator *e,
				    struct program_run *out, const char *source,
				    double seconds)
{
	struct scorer *s = scorer_of(e);
	cleanup_cpu_lease struct cpu_lease lease = {.n = 0};

	TRY(scorer_require_device(e));
	TRY(lease_cpus(&lease, s));
	return microbenchmark_run(out, s, source, seconds);
}

static struct error *score_in_stages(struct evaluator *e,
				     struct measurement **out,
				     const struct score_request *r)
{
	struct scorer *s = scorer_of(e);
	cleanup_measurement struct measurement *m = measurement_new();
	cleanup_cpu_lease struct cpu_lease lease = {.n = 0};
	cleanup_contenders struct contenders f;
	double start, built;

	*out = NULL;
	contenders_init(&f, s, r);
	stage_begin(s->options.stage, STAGE_QUEUE);
	TRY(lease_cpus(&lease, s));
	stage_begin(s->options.stage, STAGE_BUILD);
	start = clock_seconds();
	identify(e, &m->identity, r->candidate);
	scorer_reseed(s, 0);
	TRY(expect_launchers(s, r));
	if (scorer_has_device(s))
		scorer_build_beside(s, r->baselines);
	prefetch_await(&s->prefetch, r->candidate);
	TRY(build_candidate(&f.candidate, s->builder, &r->candidate->files));
	m->seconds_build = f.candidate.seconds;
	built = clock_seconds();
	score_environment(m, s, &f.candidate);
	resources_copy(&m->resources, &f.candidate.resources);
	if (f.candidate.ok && task_is_reported(s->task)) {
		TRY(reported_score(m, &f));
	} else if (f.candidate.ok && !scorer_has_device(s)) {
		not_run(m, s);
	} else if (f.candidate.ok) {
		TRY(score_built(m, &f));
	} else {
		measurement_fail(m, VERDICT_BUILD_FAILED, "%s",
				 f.candidate.first_error);
		free(m->log);
		m->log = more_than(f.candidate.log, f.candidate.first_error);
	}
	m->seconds_total = clock_seconds() - start;
	learn_seconds(s, m, built);
	if (f.rival_failed)
		r->rival_failure->gpu_seconds =
			m->seconds_timed + m->seconds_judge;
	else
		*out = steal(&m);
	return NULL;
}

/* "`avogit init --reference sum.c --entry sum_update`": in C the function has the
 * name of its reference. */
static void add_init(struct buf *b, const struct task *t)
{
	const char *entry = t->reference.entry, *end = "_reference";
	bool named = t->language == LANGUAGE_C && ends_with(entry, end);

	buf_addf(b, "`avogit init --reference %s",
		 t->sources.n == 1 ? t->sources.v[0] : "KERNEL");
	if (named)
		buf_addf(b, " --entry %.*s", (int)(strlen(entry) - strlen(end)),
			 entry);
	buf_adds(b, named ? "`" : "` (with the --entry of the first time)");
}

#define MOST_GUESSES 12 /* lines that a message names */

/* "; these are lines 24 and 31 of avogit.yaml" */
static void add_guesses(struct buf *b, const struct scorer *s)
{
	const struct file_entry *f = fileset_get(s->files, s->task->path);
	const char *text = f ? f->data : "";
	size_t n = 0;

	for (size_t line = 1; *text && n < MOST_GUESSES; line++) {
		size_t len = strcspn(text, "\n");

		if (memmem(text, len, "# GUESS", strlen("# GUESS")))
			buf_addf(b, "%s%zu", n++ ? ", " : "; these are lines ",
				 line);
		text += len + (text[len] == '\n');
	}
	if (n)
		buf_addf(b, "%s of %s",
			 *text && n == MOST_GUESSES ? ", ..." : "",
			 s->task->path);
}

/* A fault of the task, where its reference may have been made for another, or init
 * may have guessed wrong. */
static struct error *with_remedy(struct error *err, const struct scorer *s)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	struct error *more;
	bool older, guessed;

	if (!err || !error_is(err, ERROR_TASK) || task_is_reported(s->task))
		return err;
	older = task_reference_is_older(s->task, s->files);
	guessed = strstr(error_message(err), "marked GUESS") != NULL;
	if (!older && !guessed)
		return err;
	buf_adds(&b, error_message(err));
	while (b.len && (b.data[b.len - 1] == ' ' || b.data[b.len - 1] == '.'))
		b.data[--b.len] = '\0';
	if (guessed)
		add_guesses(&b, s);
	if (older) {
		buf_addf(&b,
			 "; the reference was made for arrays of other shapes "
			 "or directions than %s has now: ",
			 s->task->path);
		add_init(&b, s->task);
		buf_adds(&b, " makes it again");
	}
	more = error_new(ERROR_TASK, "%s", b.data);
	error_free(err);
	return more;
}

static struct error *score(struct evaluator *e, struct measurement **out,
			   const struct score_request *r)
{
	struct error *err = score_in_stages(e, out, r);

	stage_begin(scorer_of(e)->options.stage, STAGE_NONE);
	return with_remedy(err, scorer_of(e));
}

/* What an evaluator of such a task can do. */
static void give_functions(struct scorer *s, const struct task *task,
			   const struct scorer_options *options)
{
	s->base = (struct evaluator){.score = score,
				     .build = build,
				     .identify = identify,
				     .machine_name = machine_name,
				     .machine_about = machine_about,
				     .microbenchmark = microbenchmark};
	if (task_compiles_cuda(task))
		s->base.profile = profile;
	/* What is timed must not be the CPU; and the cache must keep it. */
	if (task_compiles_cuda(task) && options->cache_dir &&
	    prefetch_at_once())
		s->base.build_ahead = prefetch_build;
	s->base.choose_ahead = choose_ahead;
	if (task_is_reported(task))
		s->base.microbenchmark = NULL;
}

struct error *scorer_new(struct evaluator **out, const struct task *task,
			 const struct fileset *base,
			 const struct sandbox *sandbox,
			 const struct scorer_options *options)
{
	cleanup_evaluator struct evaluator *e =
		xcalloc(1, sizeof(struct scorer));
	struct scorer *s = scorer_of(e);

	give_functions(s, task, options);
	s->task = task;
	s->files = base;
	s->options = *options;
	if (!task_is_reported(task) && s->options.comparison_seconds <= 0)
		s->options.comparison_seconds = COMPARISON_SECONDS;
	s->reference = (struct build)BUILD_INIT;
	s->baseline = xcalloc(task->n_baselines, sizeof *s->baseline);
	for (size_t i = 0; i < task->n_baselines; i++)
		s->baseline[i] = (struct build)BUILD_INIT;
	s->scoring = (struct scoring){.task = task,
				      .sandbox = sandbox,
				      .program_fd = -1,
				      .stop_now = options->stop_now,
				      .stage = options->stage};
	s->scoring.alone.since = clock_seconds();
	if (!task_is_reported(task) && task_needs_plain(task) && !task->plain)
		return error_new(ERROR_TASK,
				 "%s: reference.plain: missing; give one, or "
				 "rtol and atol under tolerance",
				 task->path);
	if (task->language == LANGUAGE_CUDA)
		TRY(gpu_probe(&s->gpus));
	if (task->language == LANGUAGE_CUDA && options->gpu)
		TRY(gpus_choose(&s->gpus, options->gpu));
	TRY(builder_new(&s->builder, task, sandbox, options->cache_dir,
			&s->gpus));
	builder_stop_at(s->builder, options->stop_now);
	builder_knows(s->builder, base);
	if (builder_arch(s->builder))
		gpus_keep_for(&s->gpus, builder_arch(s->builder));
	TRY(machine_read(&s->machine, builder_compiler(s->builder)));
	s->scoring.folders = builder_folders(s->builder);
	s->scoring.gpu = s->gpus.n ? &s->gpus.gpu[0] : NULL;
	if (s->gpus.n) {
		launchers_init(&s->scoring.launchers, s->gpus.gpu[0].memory);
		machine_add_gpu(&s->machine, s->gpus.gpu[0].name,
				s->gpus.gpu[0].uuid, s->gpus.cuda,
				gpu_reach_name(s->gpus.gpu[0].reach));
	}
	TRY(runner_program_open(&s->scoring.program_fd));
	task_identity(s->task_id, task, base);
	if (options->cache_dir)
		s->scoring.alone.mark = xasprintf(
			"%s/alone/%s", options->cache_dir, s->task_id);
	scorer_recall_task(s);
	*out = steal(&e);
	return NULL;
}

struct error *scorer_check_task(struct evaluator *e)
{
	struct scorer *s = scorer_of(e);
	struct error *err = scorer_look_at_task(s);

	stage_begin(s->options.stage, STAGE_NONE);
	return with_remedy(err, s);
}

void scorer_free(struct evaluator *e)
{
	struct scorer *s = scorer_of(e);

	if (!e)
		return;
	prefetch_stop(&s->prefetch);
	launchers_clear(&s->scoring.launchers);
	kept_plans_clear(&s->scoring.plans);
	nvml_watch_stop(&s->scoring.watch);
	judge_free(s->scoring.judge);
	free(s->scoring.alone.mark);
	builder_free(s->builder);
	machine_release(&s->machine);
	build_release(&s->reference);
	for (size_t i = 0; s->baseline && i < s->task->n_baselines; i++)
		build_release(&s->baseline[i]);
	free(s->baseline);
	if (s->scoring.program_fd >= 0)
		close(s->scoring.program_fd);
	free(s);
}
