
#include <errno.h>
#include <unistd.h>

#include "core/task/hidden.h"
#include "scorer/device/lock.h"
#include "scorer/host/gpu_setup.h"
#include "scorer/inspect/replay_folder.h"
#include "scorer/inspect/sanitizer.h"

#define TOOL_SECONDS 120 /* of one tool on one launch */
#define HIDDEN_DRAWS 4	 /* the smallest of so many is taken */

struct sanitize {
	struct scorer *s;
	const struct build *build;
	unsigned tools;
	char *program; /* compute-sanitizer; owned */
	/* Why there is no result; NULL: no problem so far; owned. */
	char *unable;
	bool moved; /* the only problem: it did not get the addresses */
	int64_t warnings;
};

static void sanitize_release(struct sanitize *z)
{
	free(z->program);
	free(z->unable);
}
DEFINE_RELEASE(sanitize, struct sanitize, sanitize_release)

/* Turns an error into a mere reason not to check. */
static struct error *take_reason(struct sanitize *z, struct error *err)
{
	if (!error_is(err, ERROR_REFUSED) && !error_is(err, ERROR_NOT_FOUND) &&
	    !error_is(err, ERROR_TOO_BIG))
		return err;
	z->unable = xstrdup(error_message(err));
	error_free(err);
	return NULL;
}

/* ---- cases: sanitizers are ten to a hundred times slower ----------------- */

static struct error *smallest_case(const struct task_case **out,
				   const struct task *t)
{
	double least = 0, work;
	bool is_bytes;

	for (size_t i = 0; i < t->n_cases; i++) {
		TRY(task_work(&work, &is_bytes, t, &t->cases[i]));
		if (i && work >= least)
			continue;
		least = work;
		*out = &t->cases[i];
	}
	return NULL;
}

static struct error *draw_hidden(struct task_case *out, const struct task *t,
				 struct secret_random *secret)
{
	double least = 0, work = 0;
	bool is_bytes;

	for (size_t i = 0; i < HIDDEN_DRAWS; i++) {
		struct task_case c = {0};
		struct error *err;

		hidden_draw(&c, t, secret);
		err = task_work(&work, &is_bytes, t, &c);
		if (err || (i && work >= least)) {
			task_case_release(&c);
			TRY(err);
			continue;
		}
		least = work;
		task_case_release(out);
		*out = c;
	}
	return NULL;
}

/* ---- one tool on one launch ---------------------------------------------- */

static void tell_findings(struct score_outcome *o, enum sanitizer_tool tool,
			  const struct findings *f, const char *case_name)
{
	score_outcome_set(o,
			  tool == SANITIZER_MEMCHECK ? VERDICT_OUT_OF_BOUNDS
						     : VERDICT_WRONG,
			  "%s: %lld error%s, in case %s: %s",
			  sanitizer_name(tool), (long long)f->errors,
			  f->errors == 1 ? "" : "s", case_name, f->first);
}

/* An access that the card refused but the tool did not see: copies by separate
 * units of the card are not instrumented. */
static bool is_fault(const char *said)
{
	return said && (strstr(said, "CUDA_ERROR_ILLEGAL_ADDRESS") ||
			strstr(said, "CUDA_ERROR_MISALIGNED_ADDRESS"));
}

/* The runner wrote the words in the folder, the tool its findings: a launch is
 * clean only if both report success. */
static void judge(struct score_outcome *o, struct sanitize *z,
		  enum sanitizer_tool tool, struct sanitizing *found,
		  const char *folder, const char *case_name)
{
	cleanup_free char *refused = replay_folder_word(folder, REPLAY_REFUSED);
	cleanup_free char *said = replay_folder_word(folder, REPLAY_SAID);
	cleanup_free char *played = replay_folder_word(folder, REPLAY_PLAYED);
	cleanup_free char *moved = replay_folder_word(folder, REPLAY_MOVED);
	const struct findings *f = &found->found;

	if (f->errors) {
		tell_findings(o, tool, f, case_name);
		o->log = steal(&found->log);
	} else if (refused) {
		z->unable = steal(&refused);
	} else if (is_fault(said)) {
		score_outcome_set(o, VERDICT_OUT_OF_BOUNDS,
				  "under %s, in case %s: %s",
				  sanitizer_name(tool), case_name, said);
	} else if (f->trouble || said || !played) {
		z->unable = xasprintf(
			"%s, in case %s: %s%s%s", sanitizer_name(tool),
			case_name, f->trouble ? f->trouble : "",
			f->trouble && said ? "; " : "",
			said	     ? said
			: f->trouble ? ""
				     : "the launch was not played to its end");
	}
	z->moved = z->unable && moved;
	z->warnings += f->warnings;
}

static struct error *forget_last(const char *folder)
{
	static const char *const words[] = {REPLAY_REFUSED, REPLAY_SAID,
					    REPLAY_PLAYED, REPLAY_MOVED};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		cleanup_free char *path = xasprintf("%s/%s", folder, words[i]);

		if (unlink(path) < 0 && errno != ENOENT)
			return error_errno("%s", path);
	}
	return NULL;
}

static struct error *run_tool(struct score_outcome *o, struct sanitize *z,
			      enum sanitizer_tool tool, const char *folder,
			      const char *case_name)
{
	const volatile int *stop_now = z->s->scoring.stop_now;
	cleanup_free char *program = xasprintf("%s/replay", folder);
	const char *const argv[] = {program, "replay", folder, NULL};
	cleanup_sanitizing struct sanitizing found = {0};

	if (stop_now && *stop_now >= 2)
		return error_new(ERROR_INTERRUPTED, "interrupted");
	TRY(forget_last(folder));
	TRY(sanitizer_run(&found, z->program, tool, argv, folder, TOOL_SECONDS,
			  z->s->scoring.gpu));
	judge(o, z, tool, &found, folder, case_name);
	return NULL;
}

/* ---- one case under all of them ------------------------------------------ */

static bool goes_on(const struct score_outcome *o, const struct sanitize *z)
{
	return o->verdict == VERDICT_PASS && !z->unable;
}

static struct error *run_case_once(struct score_outcome *o, struct sanitize *z,
				   const struct task_case *c)
{
	struct scoring *sc = &z->s->scoring;
	cleanup_launch_capture struct launch_capture launch =
		LAUNCH_CAPTURE_INIT;
	cleanup_replay_folder char *folder = NULL;
	cleanup_fd int lock = -1;

	TRY(take_reason(z, launch_capture_make(o, &launch, z->s, z->build, c,
					       REPLAY_FOR_SANITIZER,
					       TOOL_SECONDS)));
	if (!goes_on(o, z))
		return NULL;
	TRY(replay_folder_make(&folder, "avogit-sanitize-", &launch, sc,
			       z->build));
	TRY(gpu_lock_take(&lock, "/tmp", sc->gpu->uuid, sc->stop_now));
	for (unsigned i = 0; i < SANITIZER_COUNT && goes_on(o, z); i++)
		if (z->tools & 1U << i)
			TRY(run_tool(o, z, (enum sanitizer_tool)i, folder,
				     c->name));
	return NULL;
}

/* Tries again if addresses are not free: each capture draws other ones. */
static struct error *run_case(struct score_outcome *o, struct sanitize *z,
			      const struct task_case *c)
{
	for (unsigned i = 0; i < GPU_MOVES; i++) {
		free(z->unable);
		z->unable = NULL;
		z->moved = false;
		TRY(run_case_once(o, z, c));
		if (!z->moved)
			return NULL;
	}
	return NULL;
}

static struct error *run_hidden(struct score_outcome *o, struct sanitize *z)
{
	struct task_case c = {0};
	struct error *err = draw_hidden(&c, z->s->task, &z->s->scoring.secret);

	if (!err)
		err = run_case(o, z, &c);
	task_case_release(&c);
	return err;
}

static struct error *run_cases(struct score_outcome *o, struct sanitize *z)
{
	const struct task *t = z->s->task;
	const struct task_case *c = t->cases;

	if (z->s->scoring.isolated[0]) {
		z->unable = xasprintf("only what is replayed can be: %s",
				      z->s->scoring.isolated);
		return NULL;
	}
	TRY(take_reason(z, sanitizer_find(&z->program)));
	if (goes_on(o, z))
		TRY(smallest_case(&c, t));
	if (goes_on(o, z))
		TRY(run_case(o, z, c));
	if (t->hidden && goes_on(o, z))
		TRY(run_hidden(o, z));
	return NULL;
}

static void tell_clean(struct measurement *m, const struct sanitize *z)
{
	cleanup_buf struct buf list = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *warnings = xasprintf("%lld", (long long)z->warnings);

	for (unsigned i = 0; i < SANITIZER_COUNT; i++)
		if (z->tools & 1U << i)
			buf_addf(&list, "%s%s", list.len ? "," : "",
				 sanitizer_name((enum sanitizer_tool)i));
	measurement_set(m, "sanitized", list.data);
	if (z->warnings)
		measurement_set(m, "sanitizer_warnings", warnings);
}

bool sanitize_wanted(const struct measurement *m, const struct score_request *r)
{
	if (!r->sanitizers || m->verdict != VERDICT_PASS)
		return false;
	return !r->winners_only || (r->n_rivals && m->comparisons[0].confirmed);
}

struct error *sanitize_candidate(struct score_outcome *o, struct measurement *m,
				 struct scorer *s, const struct build *build,
				 unsigned tools)
{
	CLEANUP(sanitize)
	struct sanitize z = {.s = s, .build = build, .tools = tools};

	TRY(run_cases(o, &z));
	if (z.unable)
		measurement_set(m, "unsanitized", z.unable);
	else if (o->verdict == VERDICT_PASS)
		tell_clean(m, &z);
	return NULL;
}

struct error *scorer_require_sanitizer(struct evaluator *e)
{
	const struct scorer *s = (const struct scorer *)e;
	cleanup_free char *program = NULL;

	TRY(scorer_refuse_reported(s, "run under sanitizers"));
	if (!task_compiles_cuda(s->task))
		return error_new(ERROR_REFUSED,
				 "%s is a task in %s: --sanitize is for "
				 "language: cuda",
				 s->task->path, task_language(s->task));
	TRY(sanitizer_find(&program));
	return scorer_require_device(e);
}
