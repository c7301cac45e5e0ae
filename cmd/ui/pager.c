#include "cmd/ui/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/ui/terminal.h"
#include "gitstore/git/program.h"

/* The user's own core.pager, expanded as git does; NULL if unset. */
static char *configured(void)
{
	static const char *const words[] = {"config",	  "--global",
					    "--includes", "--get",
					    "core.pager", NULL};
	cleanup_process_result struct process_result r = {0};
	cleanup_error struct error *err =
		git_run(&r, GIT_INSIDE, "/", words, 10, BUF_LIMIT_TEXT);

	if (err || r.exit_code != 0)
		return NULL;
	buf_trim_end(&r.output);
	return buf_take(&r.output);
}

/* A machine without it still shows what there is. */
static bool has_less(void)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t len = strcspn(path, ":");
		cleanup_free char *file =
			xasprintf("%.*s/less", (int)len, path);

		if (access(file, X_OK) == 0)
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

/* NULL if no pager is wanted, which "" and "cat" mean. */
static char *choose(void)
{
	const char *word = getenv("GIT_PAGER");
	cleanup_free char *own = word ? NULL : configured();

	if (!word)
		word = own;
	if (!word)
		word = getenv("PAGER");
	if (!word)
		word = has_less() ? "less" : "";
	return *word && !str_eq(word, "cat") ? xstrdup(word) : NULL;
}

static _Noreturn void become(const char *program, int in_fd)
{
	/* git's defaults: quit if all fits, keep colours and text. */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	dup2(in_fd, STDIN_FILENO);
	execl("/bin/sh", "sh", "-c", program, (char *)NULL);
	_exit(127);
}

/* While the pager runs, Ctrl-C is for it, and quitting it early is not an
 * error. */
static void signals(void (*handler)(int))
{
	signal(SIGINT, handler);
	signal(SIGQUIT, handler);
	signal(SIGPIPE, handler);
}

void pager_begin(struct pager *p)
{
	cleanup_free char *program = NULL;
	int fd[2];

	*p = (struct pager){.stdout_fd = -1};
	if (!isatty(STDOUT_FILENO))
		return;
	/* It is not known any more once stdout is a pipe. */
	(void)terminal_width();
	program = choose();
	fflush(stdout);
	if (!program || pipe2(fd, O_CLOEXEC) < 0)
		return;
	p->pid = fork();
	if (p->pid == 0)
		become(program, fd[0]);
	close(fd[0]);
	if (p->pid > 0) {
		p->stdout_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		dup2(fd[1], STDOUT_FILENO);
		signals(SIG_IGN);
	}
	close(fd[1]);
}

void pager_end(struct pager *p)
{
	if (p->pid <= 0)
		return;
	fflush(stdout);
	dup2(p->stdout_fd, STDOUT_FILENO);
	close(p->stdout_fd);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	clearerr(stdout);
	signals(SIG_DFL);
	p->pid = 0;
}
