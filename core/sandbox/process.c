#include "core/sandbox/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/sandbox/process_child.h"

#define CHUNK	     65536
#define STOP_LOOK_MS 250

void process_result_release(struct process_result *r)
{
	buf_release(&r->output);
}

static int pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static void reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static struct error *complaint_error(const struct child_report *report,
				     const struct process_spec *spec)
{
	errno = report->saved_errno;
	return error_errno("%s: %s", spec->argv[0], report->step);
}

/* The child writes its error into the pipe; a successful exec closes the
 * pipe. */
static struct error *await_exec(int fd, const struct process_spec *spec)
{
	struct child_report report;
	ssize_t n;

	do
		n = read(fd, &report, sizeof report);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return NULL;
	if (n != (ssize_t)sizeof report)
		return error_new(ERROR_SYSTEM, "%s: it ended before it started",
				 spec->argv[0]);
	return complaint_error(&report, spec);
}

static int open_null(void)
{
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

struct error *process_start(pid_t *out, const struct process_spec *spec,
			    int out_fd)
{
	cleanup_fd int complaint = -1;
	cleanup_fd int complain = -1;
	cleanup_fd int null_fd = open_null();
	struct error *err;
	int pipe_fd[2];
	pid_t parent = getpid(), pid;

	if (null_fd < 0)
		return error_errno("/dev/null");
	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		return error_errno("pipe");
	complaint = pipe_fd[0];
	complain = pipe_fd[1];
	pid = fork();
	if (pid < 0)
		return error_errno("cannot start %s", spec->argv[0]);
	if (pid == 0)
		process_child(spec, null_fd, out_fd < 0 ? null_fd : out_fd,
			      complain, parent);
	close(steal_fd(&complain));
	err = await_exec(complaint, spec);
	if (err) {
		process_kill(pid);
		return err;
	}
	*out = pid;
	return NULL;
}

static void decode(const siginfo_t *info, int *exit_code, int *signal)
{
	bool exited = info->si_code == CLD_EXITED;

	*exit_code = exited ? info->si_status : -1;
	*signal = exited ? 0 : info->si_status;
}

/* Leaves the process a zombie, so that its id (and its group's) is not used
 * again before process_kill. */
static bool peek_end(pid_t pid, int extra, int *exit_code, int *signal)
{
	siginfo_t info = {0};
	int rc;

	do
		rc = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | extra);
	while (rc < 0 && errno == EINTR);
	if (rc < 0 || info.si_pid != pid)
		return false;
	decode(&info, exit_code, signal);
	return true;
}

bool process_ended(pid_t pid, int *exit_code, int *signal)
{
	return peek_end(pid, WNOHANG, exit_code, signal);
}

void process_kill(pid_t pid)
{
	/* The child makes its group before its exec. If it is killed before
	 * that, the second kill is the one that works. */
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	/* Also processes of the group that lost their parent and became our
	 * children: each one that is reaped may leave us its own. */
	while (waitpid(-pid, NULL, 0) > 0 || errno == EINTR)
		;
	reap(pid);
}

/* Adds the result of one read, so that much output cannot delay the deadline;
 * false if no more can come. */
static bool drain(int fd, struct buf *output)
{
	char chunk[CHUNK];
	ssize_t n = read(fd, chunk, sizeof chunk);

	if (n > 0)
		buf_add(output, chunk, (size_t)n);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Reads the rest of the pipe: a bounded amount, because another process may
 * still be writing. */
static void drain_rest(int fd, struct buf *output)
{
	struct pollfd p = {fd, POLLIN, 0};

	for (int i = 0; i < 32; i++)
		if (poll(&p, 1, 0) <= 0 || !drain(fd, output))
			return;
}

static int milliseconds_until(double deadline)
{
	double left = deadline - clock_seconds();

	if (left <= 0)
		return 0;
	/* Rounded up, so that a poll never spins below a millisecond. */
	return left > 3600 ? 3600000 : (int)(left * 1e3) + 1;
}

/* Reads until the process has ended, its time is up or it must stop. A process
 * that closes its output keeps running; the pipe of one that ended is read to
 * its end. */
static struct error *watch(struct process_result *r, int pid_fd, int read_fd,
			   double deadline, const volatile int *stop_now)
{
	struct pollfd fds[2] = {{pid_fd, POLLIN, 0}, {read_fd, POLLIN, 0}};

	for (;;) {
		int wait = deadline > 0 ? milliseconds_until(deadline) : -1;

		if (stop_now && *stop_now == 2) {
			r->stopped = true;
			return NULL;
		}
		/* The signal may arrive exactly here, before poll() sleeps. */
		if (stop_now && (wait < 0 || wait > STOP_LOOK_MS))
			wait = STOP_LOOK_MS;
		if (wait == 0) {
			r->timed_out = true;
			return NULL;
		}
		if (poll(fds, 2, wait) < 0 && errno != EINTR)
			return error_errno("poll");
		if (fds[1].revents && !drain(read_fd, &r->output))
			fds[1].fd = -1;
		if (fds[0].revents)
			return NULL;
	}
}

/* Kills the rest of the group, then reads the end of the output. */
static void finish(struct process_result *r, pid_t pid, int read_fd)
{
	kill(-pid, SIGKILL);
	peek_end(pid, 0, &r->exit_code, &r->signal);
	process_kill(pid);
	drain_rest(read_fd, &r->output);
}

static struct error *output_pipe(int *read_fd, int *write_fd)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC) < 0)
		return error_errno("pipe");
	*read_fd = fd[0];
	*write_fd = fd[1];
	if (fcntl(fd[0], F_SETFL, O_NONBLOCK) < 0)
		return error_errno("pipe");
	return NULL;
}

struct error *process_run(struct process_result *out,
			  const struct process_spec *spec, size_t output_limit)
{
	cleanup_process_result struct process_result r = {.exit_code = -1};
	cleanup_fd int read_fd = -1;
	cleanup_fd int write_fd = -1;
	cleanup_fd int pid_fd = -1;
	double begin = clock_seconds(), limit = spec->limits.wall_seconds;
	struct error *err;
	pid_t pid = 0;

	buf_init(&r.output, output_limit);
	TRY(output_pipe(&read_fd, &write_fd));
	TRY(process_start(&pid, spec, write_fd));
	close(steal_fd(&write_fd));
	pid_fd = pidfd_of(pid);
	err = pid_fd < 0 ? error_errno("pidfd_open")
			 : watch(&r, pid_fd, read_fd,
				 limit > 0 ? begin + limit : 0, spec->stop_now);
	finish(&r, pid, read_fd);
	if (err)
		return error_wrap(err, "%s", spec->argv[0]);
	r.seconds = clock_seconds() - begin;
	*out = r;
	buf_init(&r.output, 0);
	return NULL;
}
