#include "core/sandbox/foreground.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

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

struct error *foreground_run(int *exit_code, struct buf *output,
			     const char *const *argv, const char *const *env)
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
