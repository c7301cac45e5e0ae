#include "gitstore/git/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Ctrl-C goes to the whole group of the terminal: the program decides what it
 * means, and this process keeps running to report how that ended. */
struct patience {
	struct sigaction interrupt, quit;
};

static void patience_begin(struct patience *p)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGINT, &ignore, &p->interrupt);
	sigaction(SIGQUIT, &ignore, &p->quit);
}

static void patience_end(struct patience *p)
{
	sigaction(SIGINT, &p->interrupt, NULL);
	sigaction(SIGQUIT, &p->quit, NULL);
}
DEFINE_RELEASE(patience, struct patience, patience_end)

static int spawn(pid_t *pid, const char *const *argv, const char *const *env,
		 int out_fd)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults;
	int rc;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGQUIT);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	if (out_fd >= 0)
		posix_spawn_file_actions_adddup2(&actions, out_fd,
						 STDOUT_FILENO);
	rc = posix_spawnp(pid, argv[0], &actions, &attr, (char *const *)argv,
			  env ? (char *const *)env : environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return rc;
}

static void read_all(struct buf *output, int fd)
{
	char chunk[4096];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof chunk)) > 0 ||
	       (n < 0 && errno == EINTR))
		if (n > 0)
			buf_add(output, chunk, (size_t)n);
}

static struct error *open_pipe(int *read_fd, int *write_fd)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC) < 0)
		return error_errno("pipe");
	*read_fd = fd[0];
	*write_fd = fd[1];
	return NULL;
}

/* Runs argv (NULL-terminated, argv[0] through PATH) to its end, with this
 * process's stdin and stderr. Its stdout is added to `output`; if that is NULL,
 * it is this process's. `env`: its environment, NULL for this process's own.
 * *exit_code is 128 + the signal if one ended it. */
static struct error *foreground_run(int *exit_code, struct buf *output,
				    const char *const *argv,
				    const char *const *env)
{
	CLEANUP(patience) struct patience patience;
	cleanup_fd int read_fd = -1;
	cleanup_fd int write_fd = -1;
	int status = 0;
	pid_t pid;

	fflush(stdout);
	patience_begin(&patience);
	if (output)
		TRY(open_pipe(&read_fd, &write_fd));
	errno = spawn(&pid, argv, env, write_fd);
	if (errno)
		return error_errno("cannot start %s", argv[0]);
	if (output) {
		close(steal_fd(&write_fd));
		read_all(output, read_fd);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_errno("%s", argv[0]);
	*exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
					 : WEXITSTATUS(status);
	return NULL;
}

struct error *git_run_foreground(int *exit_code, struct buf *output,
				 enum git_use use, const char *const *words)
{
	cleanup_strvec struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;

	make_argv(&argv, use, words);
	make_env(&env, use);
	return foreground_run(exit_code, output, (const char *const *)argv.v,
			      (const char *const *)env.v);
}
