#include "cmd/session/which_run.h"

#include "cmd/session/nearest.h"

/* Runs named in a message before "and N more". */
#define MAX_NAMED 8

/* The name of the nearest task at HEAD, if there is one. */
static char *task_name(struct session *s)
{
	cleanup_free char *path = NULL;
	cleanup_committed_task struct committed_task t = {0};
	struct commit_id head;
	struct error *err = gitstore_resolve(&head, s->git, "HEAD");

	if (!err)
		err = session_nearest_task(&path, s, head.hex);
	if (!err)
		err = committed_task_read(&t, s, head.hex, path);
	error_free(err);
	return t.task ? xstrdup(t.task->name) : NULL;
}

struct error *which_run_none(struct session *s)
{
	cleanup_free char *elsewhere = gitstore_run_elsewhere(s->git);

	if (elsewhere)
		return error_new(ERROR_NOT_FOUND,
				 "no run here yet, but %s is the branch of one "
				 "elsewhere: `avogit sync` brings it",
				 elsewhere);
	return error_new(ERROR_NOT_FOUND,
			 "no run yet: `avogit evolve` starts one");
}

/* "there is a" or "there are a, b and 3 more". */
static void say_there(struct buf *out, const struct strvec *runs)
{
	buf_adds(out, runs->n == 1 ? "there is " : "there are ");
	for (size_t i = 0; i < MIN(runs->n, MAX_NAMED); i++)
		buf_addf(out, "%s%s", i ? ", " : "", runs->v[i]);
	if (runs->n > MAX_NAMED)
		buf_addf(out, " and %zu more (`avogit runs`)",
			 runs->n - MAX_NAMED);
}

struct error *which_run_there(char **out, struct session *s, const char *wanted)
{
	cleanup_strvec struct strvec runs = STRVEC_INIT;
	cleanup_buf struct buf there = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *task = NULL;

	TRY(gitstore_runs(&runs, s->git));
	if (!wanted)
		wanted = task = task_name(s);
	if (wanted && strvec_has(&runs, wanted)) {
		*out = xstrdup(wanted);
		return NULL;
	}
	if (!runs.n)
		return which_run_none(s);
	if (runs.n == 1 && wanted == task) {
		*out = xstrdup(runs.v[0]);
		return NULL;
	}
	say_there(&there, &runs);
	if (wanted != task)
		return error_new(ERROR_NOT_FOUND, "no run is called %s; %s",
				 wanted, there.data);
	return error_new(ERROR_USAGE, "which run? Say --run NAME; %s",
			 there.data);
}

struct error *which_run(char **out, struct session *s, const char *wanted)
{
	TRY(which_run_there(out, s, wanted));
	gitstore_branches_missing(s->git, *out);
	return NULL;
}

struct error *which_run_named(const char **wanted, const char *command,
			      const struct strvec *operands, const char *option)
{
	if (operands->n && option)
		return error_new(ERROR_USAGE,
				 "%s: name the run once, as RUN or with --run",
				 command);
	*wanted = operands->n ? operands->v[0] : option;
	return NULL;
}

static struct error *no_champion(struct session *s, const char *run,
				 const char *command)
{
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);

	nearest_add(&why, s, run, command);
	return error_new(ERROR_NOT_FOUND, "run %s has no champion yet: %s", run,
			 why.data);
}

struct error *which_run_champion(struct commit_id *id, struct session *s,
				 const char *run, const char *command)
{
	TRY(gitstore_champion(id, s->git, run));
	return *id->hex ? NULL : no_champion(s, run, command);
}

struct error *which_candidate(struct commit_id *id, char run[RUN_NAME_MAX + 1],
			      struct session *s, const char *command,
			      const char *rev, const char *option)
{
	cleanup_free char *name = NULL;

	if (rev)
		TRY(gitstore_resolve_in(id, run, s->git, rev));
	if (rev && option && !str_eq(run, option))
		return error_new(ERROR_USAGE,
				 "%s: --run is for the champion and goes with "
				 "no REV",
				 command);
	if (rev)
		return NULL;
	TRY(which_run(&name, s, option));
	snprintf(run, RUN_NAME_MAX + 1, "%s", name);
	return which_run_champion(id, s, name, command);
}
