#include "scorer/device/lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Interrupts a wait for a lock; its default is to be ignored. */
#define WAKE SIGURG
/* Longest delay before a wait sees that it is to end. */
#define LOOK_NS 200000000
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* From the UUID, uses only characters that are valid in a file name. */
static char *lock_path(const char *folder, const char *uuid)
{
	cleanup_free char *name = xstrdup(*uuid ? uuid : "unknown");

	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-')
			*c = '_';
	return xasprintf("%s/avogit-%s.lock", folder, name);
}

/* In a sticky folder a kernel may refuse to open another user's file with
 * O_CREAT, but not for reading, which is enough for a lock. Does not follow
 * links. */
static int open_lock(const char *path)
{
	const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

	for (int i = 0; i < 3; i++) {
		int fd = open(path, O_RDONLY | flags);

		if (fd >= 0 || errno != ENOENT)
			return fd;
		fd = open(path, O_RDONLY | O_CREAT | O_EXCL | flags, 0644);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* `what`: for messages, what is locked. */
static struct error *open_file(int *fd, const char *path, const char *what)
{
	cleanup_fd int lock = open_lock(path);
	struct stat st;

	if (lock < 0 || fstat(lock, &st) < 0)
		return error_errno("cannot open %s, the lock of the %s", path,
				   what);
	if (!S_ISREG(st.st_mode))
		return error_new(
			ERROR_REFUSED,
			"%s is not a file, so the %s cannot be locked: "
			"remove it",
			path, what);
	*fd = steal_fd(&lock);
	return NULL;
}

static struct error *lock_at_once(int *fd, const char *path, const char *what)
{
	cleanup_fd int lock = -1;

	TRY(open_file(&lock, path, what));
	if (flock(lock, LOCK_EX | LOCK_NB) == 0)
		*fd = steal_fd(&lock);
	else if (errno != EWOULDBLOCK && errno != EINTR)
		return error_errno("cannot lock %s", path);
	return NULL;
}

static bool is_stopped(const struct lock_wait *w)
{
	return (w->stop_now && *w->stop_now == 2) || (w->stop && *w->stop);
}

/* Interrupts what its thread waits in, again and again. A signal that sets a flag
 * is not enough: it may come to another thread, its handler may restart flock(),
 * and it may come between a look at the flag and flock(). */
struct waker {
	timer_t timer;
	bool is_set;
	sigset_t before;
};

static void do_nothing(int signo UNUSED)
{
}

/* Where there is no timer, a signal of this thread's ends a wait. */
static void waker_begin(struct waker *k)
{
	const struct itimerspec often = {{0, LOOK_NS}, {0, LOOK_NS}};
	struct sigaction action = {.sa_handler = do_nothing};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
				 .sigev_signo = WAKE};
	sigset_t wake;

	event.sigev_notify_thread_id = gettid();
	sigemptyset(&action.sa_mask);
	sigaction(WAKE, &action, NULL);
	sigemptyset(&wake);
	sigaddset(&wake, WAKE);
	pthread_sigmask(SIG_UNBLOCK, &wake, &k->before);
	k->is_set = timer_create(CLOCK_MONOTONIC, &event, &k->timer) == 0;
	if (k->is_set)
		timer_settime(k->timer, 0, &often, NULL);
}

static void waker_end(struct waker *k)
{
	if (k->is_set)
		timer_delete(k->timer);
	pthread_sigmask(SIG_SETMASK, &k->before, NULL);
}

DEFINE_RELEASE(waker, struct waker, waker_end)

static struct error *lock_or_stop(int lock, const char *path,
				  const struct lock_wait *w)
{
	CLEANUP(waker) struct waker waker = {0};

	waker_begin(&waker);
	do {
		if (is_stopped(w))
			return error_new(ERROR_INTERRUPTED, "stopped");
		if (flock(lock, LOCK_EX) == 0)
			return NULL;
	} while (errno == EINTR);
	return error_errno("cannot lock %s", path);
}

static struct error *wait_for(int *fd, const char *path, const char *what,
			      const struct lock_wait *w)
{
	cleanup_fd int lock = -1;

	TRY(open_file(&lock, path, what));
	TRY(lock_or_stop(lock, path, w));
	*fd = steal_fd(&lock);
	return NULL;
}

struct error *gpu_lock_try(int *fd, const char *folder, const char *uuid)
{
	cleanup_free char *path = lock_path(folder, uuid);

	return lock_at_once(fd, path, "GPU");
}

struct error *gpu_lock_take(int *fd, const char *folder, const char *uuid,
			    const volatile int *stop_now)
{
	cleanup_free char *path = lock_path(folder, uuid);
	const struct lock_wait w = {.stop_now = stop_now};

	return wait_for(fd, path, "GPU", &w);
}

/* ---- CPUs ---------------------------------------------------------------- */

void cpu_lease_release(struct cpu_lease *l)
{
	for (size_t i = 0; i < l->n; i++)
		close(l->fd[i]);
	free(l->fd);
	*l = (struct cpu_lease){.n = 0};
}

/* The CPUs of this process, the last one first. */
struct cpu_list {
	size_t cpu[CPU_SETSIZE];
	size_t n;
};

static void list_cpus(struct cpu_list *out, const cpu_set_t *ours)
{
	out->n = 0;
	for (size_t cpu = CPU_SETSIZE; cpu-- > 0;)
		if (CPU_ISSET(cpu, ours))
			out->cpu[out->n++] = cpu;
}

/* Locks these CPUs, in their order, which is the same for all programs. Without
 * `w` *all is false, and nothing is held, if one is not free. */
static struct error *lock_group(struct cpu_lease *l, bool *all,
				const char *folder, const size_t *cpu, size_t n,
				const struct lock_wait *w)
{
	*all = true;
	for (size_t i = 0; i < n && *all; i++) {
		cleanup_free char *path =
			xasprintf("%s/avogit-cpu%zu.lock", folder, cpu[i]);
		cleanup_fd int fd = -1;

		if (w)
			TRY(wait_for(&fd, path, "CPU", w));
		else
			TRY(lock_at_once(&fd, path, "CPU"));
		*all = fd >= 0;
		if (fd >= 0)
			l->fd[l->n++] = steal_fd(&fd);
	}
	while (!*all && l->n)
		close(l->fd[--l->n]);
	return NULL;
}

static struct error *lock_any_group(struct cpu_lease *l, size_t *group,
				    const char *folder,
				    const struct cpu_list *cpus, size_t size,
				    const struct lock_wait *w)
{
	bool all = false;

	for (*group = 0; (*group + 1) * size <= cpus->n; ++*group) {
		TRY(lock_group(l, &all, folder, &cpus->cpu[*group * size], size,
			       NULL));
		if (all)
			return NULL;
	}
	*group = 0;
	if (w->say)
		w->say(w->arg);
	return lock_group(l, &all, folder, cpus->cpu, size, w);
}

struct error *cpu_lease_take(struct cpu_lease *out, const char *folder,
			     const cpu_set_t *ours, unsigned threads,
			     const struct lock_wait *w)
{
	cleanup_cpu_lease struct cpu_lease l = {.n = 0};
	struct cpu_list cpus;
	size_t size, group;
	struct error *err;

	list_cpus(&cpus, ours);
	size = MIN((size_t)threads + 1, cpus.n);
	l.fd = xcalloc(MAX(size, (size_t)1), sizeof *l.fd);
	err = lock_any_group(&l, &group, folder, &cpus, size, w);
	if (error_is(err, ERROR_INTERRUPTED))
		return err;
	/* A folder that takes no lock is not a reason to time nothing. */
	if (err)
		group = 0;
	error_free(err);
	CPU_ZERO(&l.arms);
	for (size_t i = 0; i < MIN((size_t)threads, size); i++)
		CPU_SET(cpus.cpu[group * size + i], &l.arms);
	*out = l;
	l = (struct cpu_lease){.n = 0};
	return NULL;
}
