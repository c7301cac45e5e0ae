/* avogit evolve: starts a run, or goes on with it. */
#include "core/evolve.h"

#include <unistd.h>

#include "agent/operators.h"
#include "cmd/cmd.h"
#include "cmd/consent.h"
#include "cmd/out.h"
#include "cmd/progress.h"
#include "cmd/session.h"
#include "cmd/stop.h"
#include "cmd/summary.h"

struct evolve_options {
	const char *run;
	int64_t attempts;
	double seconds;
	const char *operator_name;
	const char *from;
	const char *base;
	uint64_t seed;
	const char *task;
	const char *color;
};

static const struct opt options[] = {
	OPT(struct evolve_options, run, "run", 'r', "NAME",
	    "name of the run (the task's name)"),
	OPT(struct evolve_options, attempts, "attempts", 'n', "N",
	    "stop after N attempts from now"),
	OPT(struct evolve_options, seconds, "time", 't', "SPAN",
	    "stop after 90s, 30m, 1h30m from now"),
	OPT(struct evolve_options, operator_name, "operator", 0, "NAME",
	    "who varies the kernel (the task's, else tuner)"),
	OPT(struct evolve_options, from, "from", 0, "REV",
	    "begin at this commit, whatever the work tree holds (HEAD)"),
	OPT(struct evolve_options, base, "base", 0, "REV",
	    "an earlier commit that the winner will be a change to (the same)"),
	OPT(struct evolve_options, seed, "seed", 0, "N",
	    "seed of a new run's draws (a fresh one)"),
	OPT(struct evolve_options, task, "task", 0, "FILE",
	    "task file (the nearest avogit.yaml)"),
	OPT(struct evolve_options, color, "color", 0, "WHEN",
	    "always, never or auto"),
	OPT_END,
};

/* Everything `evolve` has open. */
struct evolving {
	struct session session;
	struct variation_operator *operator_;
	struct population population;
	struct progress progress;
	struct evolve evolve;
	char base[COMMIT_ID_LEN + 1];
	char *from_subject; /* of the commit a person wrote on the base */
	bool resumed;
	size_t attempts_before;
};

static void evolving_release(struct evolving *e)
{
	operator_free(e->operator_);
	population_release(&e->population);
	session_release(&e->session);
	free(e->from_subject);
}
DEFINE_RELEASE(evolving, struct evolving, evolving_release)

/* A run's name is part of ref names and of shell commands that people copy. */
static struct error *check_run_name(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";

	if (!name[strspn(name, allowed)] && strlen(name) <= RUN_NAME_MAX &&
	    *name && *name != '.' && *name != '-' && !strstr(name, "..") &&
	    !ends_with(name, ".") && !ends_with(name, ".lock"))
		return NULL;
	return error_new(ERROR_USAGE,
			 "'%s' cannot name a run: at most %d letters, digits, "
			 "'.', '_' and '-', beginning with a letter or digit "
			 "(choose another by --run)",
			 name, RUN_NAME_MAX);
}

static void apply_entry(void *arg, const struct entry *e)
{
	population_apply(arg, e);
}

/* The task may have moved on since the run began: then scores of before and
 * after would not be alike. */
static struct error *check_same_task(const struct session *s,
				     const struct entry *record)
{
	cleanup_committed_task struct committed_task then = {0};

	TRY(committed_task_read(&then, s, record->base, record->task_path));
	if (str_eq(then.id, s->at.id) &&
	    str_eq(then.task->path, s->at.task->path))
		return NULL;
	return error_new(ERROR_REFUSED,
			 "run %s began under another version of its task: "
			 "start a new run (--run NAME), or go on with the old "
			 "one by --from %.12s",
			 record->run, record->base);
}

static struct error *check_resumed(const struct evolving *e,
				   const struct evolve_options *o,
				   const struct entry *record)
{
	if ((o->from || o->base) && !str_eq(record->base, e->base))
		return error_new(ERROR_REFUSED,
				 "run %s began at %.12s and goes on from "
				 "there: another start needs another name "
				 "(--run NAME)",
				 record->run, record->base);
	if (o->seed && o->seed != record->seed)
		return error_new(ERROR_REFUSED,
				 "run %s has its seed already: leave --seed "
				 "out, or start another run (--run NAME)",
				 record->run);
	return check_same_task(&e->session, record);
}

/* Reads the run if there is one, and settles on its base. */
static struct error *find_run(struct evolving *e,
			      const struct evolve_options *o)
{
	cleanup_population struct population before = {0};
	struct session *s = &e->session;
	const char *run = o->run ? o->run : s->at.task->name;

	TRY(check_run_name(run));
	TRY(gitstore_check_branches(s->git, run));
	TRY(gitstore_lock_run(s->git, run));
	TRY(gitstore_read(s->git, run, apply_entry, &before));
	e->resumed = before.has_record;
	if (e->resumed)
		TRY(check_resumed(e, o, &before.record));
	if (!o->from)
		TRY(session_refuse_dirty(s, e->resumed ? DIRTY_TRUSTED
						       : DIRTY_ANY));
	memcpy(e->evolve.run, run, strlen(run) + 1);
	memcpy(e->evolve.base, e->resumed ? before.record.base : e->base,
	       sizeof e->evolve.base);
	e->attempts_before = e->resumed ? before.n - 1 : 0;
	return NULL;
}

static void announce(const struct evolving *e)
{
	const struct session *s = &e->session;
	char base[COMMIT_ID_LEN + 1];

	gitstore_abbreviate(base, s->git, e->evolve.base);
	printf("%s run %s at %s on %s", e->resumed ? "resuming" : "starting",
	       e->evolve.run, base, s->evaluator->machine_name(s->evaluator));
	if (e->resumed)
		printf(", %zu attempts so far", e->attempts_before);
	putchar('\n');
	fflush(stdout);
}

/* Where the run begins, and what its winner will be a change to: the same
 * commit unless --base names an earlier one. What lies between was written by
 * a person, who may have changed the sources there and nothing the task
 * trusts. */
static struct error *find_start(struct evolving *e,
				const struct evolve_options *o)
{
	struct session *s = &e->session;
	cleanup_committed_task struct committed_task then = {0};
	cleanup_commit_info struct commit_info info = {0};
	char from[COMMIT_ID_LEN + 1], base[COMMIT_ID_LEN + 1];
	bool descends;

	TRY(gitstore_resolve(from, s->git, o->from ? o->from : "HEAD"));
	TRY(session_task(s, from, o->task));
	memcpy(e->base, from, sizeof from);
	if (!o->base)
		return NULL;
	TRY(gitstore_resolve(base, s->git, o->base));
	TRY(gitstore_descends(&descends, s->git, from, base));
	TRY(committed_task_read(&then, s, base, s->at.task->path));
	if (!descends || !str_eq(then.id, s->at.id))
		return error_new(ERROR_REFUSED,
				 "%.12s cannot be the base of %.12s: %s", base,
				 from,
				 descends ? "the task, or a file it trusts, "
					    "differs between them"
					  : "it is no ancestor of it");
	TRY(gitstore_commit_info(&info, s->git, from));
	e->from_subject = xstrndup(info.message, strcspn(info.message, "\n"));
	e->evolve.from_subject = e->from_subject;
	memcpy(e->evolve.from, from, sizeof from);
	memcpy(e->base, base, sizeof base);
	return NULL;
}

/* Only of what this run uses: the tuner uses none of the operator's items. */
static struct error *require_trust(const struct session *s,
				   const struct evolve_options *o)
{
	const char *name = o->operator_name ? o->operator_name
					    : s->at.task->operator_name;

	TRY(session_require_trust(s, TRUST_LAUNCHER, o->task));
	if (str_eq(name, "tuner"))
		return NULL;
	return session_require_trust(s, TRUST_OPERATOR, o->task);
}

static struct error *prepare(struct evolving *e, const struct evolve_options *o)
{
	struct session *s = &e->session;
	const volatile int *stop;

	TRY(session_open(s, o->color));
	TRY(find_start(e, o));
	TRY(require_trust(s, o));
	TRY(operator_new(&e->operator_, s->at.task, o->operator_name));
	TRY(find_run(e, o));
	stop = stop_watch();
	TRY(session_scorer(s, e->evolve.base, stop));
	TRY(scorer_require_device(s->evaluator));
	announce(e);
	TRY(scorer_check_task(s->evaluator));
	progress_init(&e->progress, &s->color, isatty(STDOUT_FILENO));
	e->evolve.task = s->at.task;
	e->evolve.archive = s->archive;
	e->evolve.evaluator = s->evaluator;
	e->evolve.operator_ = e->operator_;
	e->evolve.listener = &e->progress.listener;
	e->evolve.rules = (struct supervisor_rules)SUPERVISOR_RULES_DEFAULT;
	e->evolve.seed = o->seed;
	e->evolve.stop_requested = stop;
	return NULL;
}

/* What the command line limits replaces the task's own budget. */
static void set_budget(struct evolving *e, const struct evolve_options *o)
{
	e->evolve.budget = (struct budget_limits){
		.attempts = o->attempts,
		.seconds = o->seconds,
	};
	if (!o->attempts && !(o->seconds > 0))
		e->evolve.budget = e->session.at.task->budget;
}

static struct error *mend_notes(struct session *s)
{
	size_t restored = 0;

	TRY(gitstore_mend_notes(&restored, s->git));
	if (restored)
		printf("put back %zu notes that had vanished\n", restored);
	return NULL;
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	CLEANUP(evolving) struct evolving e = {0};
	struct evolve_options o = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	const char *reason = NULL;

	TRY(command_parse(self, &o, &operands, argv));
	population_init(&e.population);
	TRY(prepare(&e, &o));
	TRY(mend_notes(&e.session));
	set_budget(&e, &o);
	TRY(error_wrap(evolve_run(&reason, &e.population, &e.evolve), "run %s",
		       e.evolve.run));
	summary_print(&e.session, &e.population, reason);
	if (str_eq(reason, "interrupted"))
		*code = CODE_INTERRUPTED;
	return NULL;
}

const struct command command_evolve = {
	.name = "evolve",
	.operands = "",
	.summary = "starts a run of evolution, or goes on with it",
	.about =
		"Varies the kernel, scores every version and keeps what is "
		"faster, until a budget\nis spent, nothing is left to try, or "
		"Ctrl-C: once finishes the attempt and stops,\ntwice stops "
		"now; either way the same command goes on. Every version is a "
		"commit\nwith its score as a note; your branch, index and work "
		"tree stay as they are.",
	.options = options,
	.run = run,
};
