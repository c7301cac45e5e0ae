#include "gitstore/git/program.h"

#include "core/sandbox/foreground.h"

extern char **environ;

/* Override the environment. */
static const char *const env_inside[] = {"GIT_ALLOW_PROTOCOL=",
					 "GIT_NO_LAZY_FETCH=1",
					 "GIT_TERMINAL_PROMPT=0",
					 "GIT_PAGER=cat",
					 "GIT_OPTIONAL_LOCKS=0",
					 "GIT_EDITOR=:",
					 NULL};
static const char *const env_transport[] = {"GIT_NO_LAZY_FETCH=1", NULL};
static const char *const env_checkout[] = {NULL};

/* Override every configuration file. */
static const char *const config_inside[] = {"core.hooksPath=/dev/null",
					    "core.fsmonitor=false",
					    "core.alternateRefsCommand=:",
					    "core.sshCommand=false",
					    "core.gitProxy=none",
					    "core.askPass=false",
					    "credential.helper=",
					    "protocol.allow=never",
					    NULL};
static const char *const config_transport[] = {
	"core.hooksPath=/dev/null",    "core.fsmonitor=false",
	"core.alternateRefsCommand=:", "gc.auto=0",
	"maintenance.auto=false",      NULL};
static const char *const config_checkout[] = {NULL};

static const struct closing {
	const char *const *env, *const *config;
} closings[] = {
	[GIT_INSIDE] = {env_inside, config_inside},
	[GIT_TRANSPORT] = {env_transport, config_transport},
	[GIT_CHECKOUT] = {env_checkout, config_checkout},
};

static bool is_set_by(const char *const *env, const char *variable)
{
	size_t len = strcspn(variable, "=") + 1;

	for (; *env; env++)
		if (strncmp(*env, variable, len) == 0)
			return true;
	return false;
}

static void make_env(struct strvec *out, enum git_use use)
{
	const char *const *own = closings[use].env;

	for (char **e = environ; *e; e++)
		if (!is_set_by(own, *e))
			strvec_push(out, *e);
	for (; *own; own++)
		strvec_push(out, *own);
}

static void make_argv(struct strvec *out, enum git_use use,
		      const char *const *words)
{
	strvec_push(out, "git");
	for (const char *const *c = closings[use].config; *c; c++) {
		strvec_push(out, "-c");
		strvec_push(out, *c);
	}
	for (; *words; words++)
		strvec_push(out, *words);
}

struct error *git_run(struct process_result *out, enum git_use use,
		      const char *dir, const char *const *words,
		      double wall_seconds, size_t output_limit)
{
	cleanup_strvec struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;
	struct process_spec spec = {
		.dir = dir,
		.limits = {.wall_seconds = wall_seconds},
	};

	make_argv(&argv, use, words);
	make_env(&env, use);
	spec.argv = (const char *const *)argv.v;
	spec.env = (const char *const *)env.v;
	return process_run(out, &spec, output_limit);
}

/* ---- on this terminal ---------------------------------------------------- */

struct error *git_run_foreground(int *exit_code, struct buf *output,
				 enum git_use use, const char *const *words)
{
	cleanup_strvec struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;

	make_argv(&argv, use, words);
	make_env(&env, use);
	return foreground_run(exit_code, output, (const char *const *)argv.v,
			      (const char *const *)env.v);
}
