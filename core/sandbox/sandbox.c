#include "core/sandbox/sandbox.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/sandbox/plan.h"

/* Long enough for a busy machine. */
#define START_SECONDS  10.0
#define FREEZE_SECONDS 10.0
#define HALT_NANOS     10000000 /* between looks at all processes, at most */
#define STATUS_LIMIT   4096

enum sandbox_level sandbox_level(const struct sandbox *s)
{
	return s->level;
}

uid_t sandbox_uid(const struct sandbox *s)
{
	return s->uid;
}

const char *sandbox_describe(const struct sandbox *s)
{
	return s->description;
}

const char *sandbox_mend(const struct sandbox *s)
{
	return s->mend;
}

void sandbox_free(struct sandbox *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < FILTER_COUNT; i++)
		filter_release(&s->filter[i]);
	landlock_release(&s->landlock);
	free(s->bwrap);
	free(s->description);
	free(s->mend);
	free(s);
}

/* Reads the report so far. */
static void read_status(struct buf *text, int fd)
{
	char chunk[512];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof chunk)) > 0)
		buf_add(text, chunk, (size_t)n);
}

/* Bubblewrap reports the end of its child as a shell does. */
static void undo_shell_status(int *exit_code, int *signal)
{
	if (*exit_code <= 128 || *exit_code > 128 + 64)
		return;
	*signal = *exit_code - 128;
	*exit_code = -1;
}

static struct error *not_set_up(const struct buf *output)
{
	size_t line = strcspn(output->data, "\n");

	return error_new(ERROR_SYSTEM, "the sandbox could not be set up: %.*s",
			 (int)MIN(line, 300), output->data);
}

/* Only for a program that was started, an exit code is reported. */
static struct error *read_end(struct process_result *r, int status_fd)
{
	cleanup_buf struct buf status = BUF_INIT(STATUS_LIMIT);

	if (r->timed_out || r->signal)
		return NULL;
	read_status(&status, status_fd);
	if (!bwrap_status(status.data, "exit-code", &r->exit_code))
		return not_set_up(&r->output);
	undo_shell_status(&r->exit_code, &r->signal);
	return NULL;
}

struct error *sandbox_run(struct process_result *out, const struct sandbox *s,
			  const struct sandbox_spec *spec, size_t output_limit)
{
	cleanup_plan struct sandbox_plan plan = PLAN_INIT;
	cleanup_process_result struct process_result r = {0};

	buf_init(&r.output, 0);
	TRY(plan_make(&plan, s, spec));
	plan.process.stop_now = spec->stop_now;
	TRY(process_run(&r, &plan.process, output_limit));
	if (r.stopped)
		return error_new(ERROR_INTERRUPTED, "stopped");
	if (plan.status_fd >= 0)
		TRY(read_end(&r, plan.status_fd));
	*out = r;
	buf_init(&r.output, 0);
	return NULL;
}

/* Waits until bubblewrap reports the process id of the program. */
static struct error *read_inner(pid_t *inner, int status_fd)
{
	cleanup_buf struct buf status = BUF_INIT(STATUS_LIMIT);
	double deadline = clock_seconds() + START_SECONDS;
	struct pollfd p = {status_fd, POLLIN, 0};

	while (!bwrap_status(status.data, "child-pid", inner)) {
		int left = (int)((deadline - clock_seconds()) * 1e3);

		if (left <= 0)
			return error_new(ERROR_SYSTEM,
					 "the sandbox did not start in time");
		if (poll(&p, 1, left) > 0 && !(p.revents & POLLIN))
			return error_new(ERROR_SYSTEM,
					 "the sandbox could not be set up");
		read_status(&status, status_fd);
	}
	return NULL;
}

static int pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static struct error *find_inner(struct sandboxed *p)
{
	p->inner = p->outer;
	if (p->status_fd >= 0)
		TRY(read_inner(&p->inner, p->status_fd));
	p->inner_fd = pidfd_of(p->inner);
	/* A quick program may have ended already. */
	if (p->inner_fd < 0 && errno != ESRCH)
		return error_errno("pidfd_open");
	return NULL;
}

struct error *sandbox_start(struct sandboxed *out, const struct sandbox *s,
			    const struct sandbox_spec *spec, int out_fd)
{
	cleanup_plan struct sandbox_plan plan = PLAN_INIT;
	struct sandboxed p = {.inner_fd = -1, .status_fd = -1};
	struct error *err;

	TRY(plan_make(&plan, s, spec));
	TRY(process_start(&p.outer, &plan.process, out_fd));
	p.folder = steal(&plan.folder);
	p.status_fd = steal_fd(&plan.status_fd);
	/* Our copy of the other end would hide the end of bubblewrap. */
	plan_release(&plan);
	err = find_inner(&p);
	if (err) {
		sandboxed_kill(&p);
		return err;
	}
	*out = p;
	return NULL;
}

static void await_end(int pid_fd, double seconds)
{
	struct pollfd end = {pid_fd, POLLIN, 0};

	if (pid_fd >= 0)
		poll(&end, 1, (int)(seconds * 1e3));
}

/* After the program, bubblewrap needs a moment to end too. This waits for it,
 * so that sandboxed_ended is true from then on. */
static struct error *has_ended(const struct sandboxed *p)
{
	cleanup_fd int outer_fd = pidfd_of(p->outer);

	await_end(outer_fd, FREEZE_SECONDS);
	return error_new(ERROR_NOT_FOUND, "the sandboxed program has ended");
}

static struct error *send_signal(const struct sandboxed *p, int signal)
{
	if (p->inner_fd >= 0 &&
	    syscall(SYS_pidfd_send_signal, p->inner_fd, signal, NULL, 0) == 0)
		return NULL;
	if (p->inner_fd < 0 || errno == ESRCH)
		return has_ended(p);
	return error_errno("signal %d to the sandbox", signal);
}

/* The state letter of one thread: it follows the name, which is in parentheses
 * and may contain any character. 0 if the thread is gone. */
static char thread_state(int tasks, const char *thread)
{
	cleanup_free char *path = xasprintf("%s/stat", thread);
	cleanup_fd int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	char text[512], *end;
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof text - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end[2] : '?';
}

/* Can no thread run any more? `gone`: there is no thread at all. The state of
 * the process says neither: it is that of its first thread, which may end before
 * the others. */
static bool all_stopped(bool *gone, pid_t pid)
{
	cleanup_free char *path = xasprintf("/proc/%d/task", pid);
	DIR *dir = opendir(path);
	bool stopped = true;
	struct dirent *entry;
	size_t n = 0;

	while (dir && (entry = readdir(dir))) {
		char state;

		if (entry->d_name[0] == '.')
			continue;
		state = thread_state(dirfd(dir), entry->d_name);
		if (!state || strchr("ZX", state))
			continue;
		n++;
		stopped = stopped && strchr("Tt", state);
	}
	if (dir)
		closedir(dir);
	*gone = n == 0;
	return stopped;
}

double sandboxed_cpu_seconds(const struct sandboxed *p)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(p->inner, &clock) != 0 ||
	    clock_gettime(clock, &t) < 0)
		return 0;
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool sandbox_shows(const char *path)
{
	return starts_with(path, "/usr/") || starts_with(path, "/bin/") ||
	       starts_with(path, "/lib/") || starts_with(path, "/lib64/");
}

/* The number after "KEY:" at the start of a line; 0 if there is none. */
static uint64_t status_number(const char *status, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = status; line; line = strchr(line, '\n')) {
		line += line != status;
		if (strncmp(line, key, len) == 0 && line[len] == ':')
			return strtoull(line + len + 1, NULL, 10);
	}
	return 0;
}

static uint64_t status_bytes(const char *status, const char *key)
{
	return status_number(status, key) << 10;
}

uint64_t sandboxed_memory(const struct sandboxed *p)
{
	cleanup_free char *path = xasprintf("/proc/%d/status", p->inner);
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_error struct error *err = file_read(&text, path);

	if (err)
		return 0;
	return status_bytes(text.data, "RssAnon") +
	       status_bytes(text.data, "VmSwap") +
	       status_bytes(text.data, "VmPTE");
}

/* The filters that a thread has, with those before it; -1: not known. */
static int64_t filters_of(const char *thread)
{
	cleanup_free char *path = xasprintf("/proc/%s/status", thread);
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_error struct error *err = file_read(&text, path);

	if (err || !strstr(text.data, "\nSeccomp_filters:"))
		return -1;
	return (int64_t)status_number(text.data, "Seccomp_filters");
}

/* The next entry whose name does not begin with '.'; NULL after the last. */
static const char *next_name(DIR *dir)
{
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			return entry->d_name;
	return NULL;
}

bool sandboxed_is_strict(const struct sandboxed *p, const struct sandbox *s)
{
	cleanup_free char *path = xasprintf("/proc/%d/task", p->inner);
	cleanup_dir DIR *dir = opendir(path);
	/* Ours, that of every sandboxed program, the strict one. */
	int64_t own = filters_of("self"), wanted = own + 2;
	bool strict = dir != NULL;
	const char *name;

	while ((name = next_name(dir))) {
		cleanup_free char *thread =
			xasprintf("%d/task/%s", p->inner, name);

		strict = strict && filters_of(thread) >= wanted;
	}
	return strict || !s->has_seccomp || own < 0;
}

static bool has_no_thread(const char *process)
{
	bool gone;

	all_stopped(&gone, (pid_t)strtol(process, NULL, 10));
	return gone;
}

/* Parent and session of a process; false if it is gone. The name in front of
 * them is in parentheses and may contain any character. */
static bool read_stat(pid_t *parent, pid_t *session, const char *name)
{
	cleanup_free char *path = xasprintf("/proc/%s/stat", name);
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_error struct error *err = file_read(&text, path);
	char *end = err ? NULL : strrchr(text.data, ')');

	if (!end || end[1] != ' ' || !end[2])
		return false;
	*parent = (pid_t)strtol(end + 3, &end, 10);
	strtol(end, &end, 10); /* its group */
	*session = (pid_t)strtol(end, NULL, 10);
	return true;
}

/* A process that lost its parent is a child of process 1 of its namespace, which
 * is `inner`; without namespaces it stays in the session of `inner`. */
bool sandboxed_is_alone(const struct sandboxed *p)
{
	cleanup_free char *inner = xasprintf("%d", p->inner);
	cleanup_dir DIR *dir = opendir("/proc");
	pid_t parent, session, own;
	const char *name;
	bool alone = dir != NULL;

	if (!read_stat(&parent, &own, inner))
		return false;
	while ((name = next_name(dir))) {
		if (!isdigit((unsigned char)*name) || str_eq(name, inner) ||
		    !read_stat(&parent, &session, name))
			continue;
		if (parent == p->inner || session == own)
			alone = alone && has_no_thread(name);
	}
	return alone;
}

struct error *sandboxed_freeze(const struct sandboxed *p)
{
	double deadline = clock_seconds() + FREEZE_SECONDS;
	struct timespec pause = {0, 20000};
	bool gone, late = false;

	TRY(send_signal(p, SIGSTOP));
	/* Checks once more after a long wait for a CPU. */
	while (!all_stopped(&gone, p->inner)) {
		if (late)
			return error_new(ERROR_SYSTEM,
					 "the sandbox did not stop in time");
		late = clock_seconds() > deadline;
		nanosleep(&pause, NULL);
		pause.tv_nsec = MIN(2 * pause.tv_nsec, 1000000);
	}
	return gone ? has_ended(p) : NULL;
}

void sandboxed_send_stop(const struct sandboxed *p)
{
	error_free(send_signal(p, SIGSTOP));
}

struct error *sandboxed_thaw(const struct sandboxed *p)
{
	return send_signal(p, SIGCONT);
}

/* ---- a program and those that it started ---------------------------------- */

struct member {
	pid_t pid, parent;
	bool ours;
};

struct descent {
	struct member *one; /* owned */
	size_t n, cap;
};

/* One sweep marks at least the children of each that was marked before it. */
static bool mark_children(struct descent *m)
{
	bool more = false;

	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; !m->one[i].ours && k < m->n; k++)
			if (m->one[k].ours && m->one[k].pid == m->one[i].parent)
				more = m->one[i].ours = true;
	return more;
}

/* All processes of the machine; marked: the program, its session, and what
 * these started. free() m->one. */
static void list_members(struct descent *m, const struct sandboxed *p)
{
	cleanup_free char *inner = xasprintf("%d", p->inner);
	cleanup_dir DIR *dir = opendir("/proc");
	pid_t parent, session, own = 0;
	const char *name;

	m->n = 0;
	if (!read_stat(&parent, &own, inner) ||
	    (own != p->inner && own != p->outer))
		own = 0; /* not a session of its own */
	while ((name = next_name(dir))) {
		pid_t pid = (pid_t)strtol(name, NULL, 10);

		if (!isdigit((unsigned char)*name) ||
		    !read_stat(&parent, &session, name))
			continue;
		GROW(m->one, m->n, m->cap);
		m->one[m->n++] = (struct member){
			pid, parent,
			pid == p->inner ||
				(own && session == own && pid != p->outer)};
	}
	while (mark_children(m))
		;
}

/* To the process that was listed, not to another that got its number. */
static void signal_member(const struct member *m, int number)
{
	cleanup_free char *name = xasprintf("%d", m->pid);
	cleanup_fd int fd = pidfd_of(m->pid);
	pid_t parent, session;

	if (fd >= 0 && read_stat(&parent, &session, name) &&
	    parent == m->parent)
		syscall(SYS_pidfd_send_signal, fd, number, NULL, 0);
}

/* Signals those that still run; were there any? */
static bool stop_members(const struct descent *m)
{
	bool ran = false, gone;

	for (size_t i = 0; i < m->n; i++)
		if (m->one[i].ours && !all_stopped(&gone, m->one[i].pid)) {
			signal_member(&m->one[i], SIGSTOP);
			ran = true;
		}
	return ran;
}

/* What was stopped when a list began started nothing while that was made: so a
 * list of which all are stopped has all. */
bool sandboxed_halt(const struct sandboxed *p)
{
	double deadline = clock_seconds() + FREEZE_SECONDS;
	struct timespec pause = {0, 20000};
	struct descent m = {0};
	bool late = false, ran;

	do {
		late = clock_seconds() > deadline;
		list_members(&m, p);
		ran = stop_members(&m);
		if (ran)
			nanosleep(&pause, NULL);
		pause.tv_nsec = MIN(2 * pause.tv_nsec, HALT_NANOS);
	} while (ran && !late);
	free(m.one);
	return !ran;
}

void sandboxed_go_on(const struct sandboxed *p)
{
	struct descent m = {0};

	list_members(&m, p);
	for (size_t i = 0; i < m.n; i++)
		if (m.one[i].ours)
			signal_member(&m.one[i], SIGCONT);
	free(m.one);
}

bool sandboxed_ended(const struct sandboxed *p, int *exit_code, int *signal)
{
	if (!process_ended(p->outer, exit_code, signal))
		return false;
	if (p->status_fd >= 0 && !*signal)
		undo_shell_status(exit_code, signal);
	return true;
}

/* Ends the program first and waits for that, because it may hold memory that it
 * shares with us. Then bubblewrap reaps it and ends by itself. */
static void end_inner(struct sandboxed *p)
{
	cleanup_fd int outer_fd = pidfd_of(p->outer);

	if (p->inner_fd < 0)
		return;
	error_free(send_signal(p, SIGKILL));
	await_end(p->inner_fd, START_SECONDS);
	await_end(outer_fd, FREEZE_SECONDS);
	close(p->inner_fd);
}

void sandboxed_send_kill(const struct sandboxed *p)
{
	if (p->outer && p->inner_fd >= 0)
		syscall(SYS_pidfd_send_signal, p->inner_fd, SIGKILL, NULL, 0);
}

void sandboxed_kill(struct sandboxed *p)
{
	if (!p->outer)
		return;
	end_inner(p);
	process_kill(p->outer);
	cleanup_fd_fn(&p->status_fd);
	if (p->folder)
		error_free(dir_remove(p->folder));
	free(p->folder);
	*p = (struct sandboxed){0};
}
