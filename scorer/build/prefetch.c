#include "scorer/build/prefetch.h"

#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "scorer/build/internal.h"
#include "scorer/device/machine.h"

/* CPUs that are kept for a measurement, and CPUs that a build needs. */
#define KEPT	    4
#define FOR_A_BUILD 2
/* Builds that a guess leaves to sure candidates. One of these comes with each
 * measurement, and its build lasts for about two of them. */
#define FOR_SURE 2
/* Of trusted code, whatever CPUs there are: nothing is measured yet. */
#define TRUSTED_MAX 6
/* In which a build that is told to stop has ended its compiler and removed the
 * compiler's files. */
#define STOP_SECONDS 10.0

size_t prefetch_at_once(void)
{
	unsigned cpus = machine_cpus();

	return cpus > KEPT ? MIN((cpus - KEPT) / FOR_A_BUILD, PREFETCH_MAX) : 0;
}

/* Removes a build that has ended. A compiler runs one step after another, so
 * its CPU time is about the time that it took. */
static void drop(struct prefetch *p, size_t i, const struct rusage *used)
{
	double seconds =
		(double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
		1e-6 * (double)(used->ru_utime.tv_usec +
				used->ru_stime.tv_usec);

	p->seconds = MAX(p->seconds, seconds);
	p->building[i] = p->building[--p->n];
}

static void reap(struct prefetch *p)
{
	for (size_t i = p->n; i-- > 0;) {
		struct rusage used = {0};

		if (wait4(p->building[i].pid, NULL, WNOHANG, &used) != 0)
			drop(p, i, &used);
	}
}

size_t prefetch_wanted(const struct prefetch *p, double seconds, size_t at_once)
{
	double n = seconds > 0 ? ceil(p->seconds / seconds) : 1;

	return (size_t)fmax(1, fmin(n, (double)at_once));
}

static struct prefetch_build *find(struct prefetch *p,
				   const struct candidate *c)
{
	for (size_t i = 0; i < p->n; i++)
		if (str_eq(p->building[i].id, c->sources_id))
			return &p->building[i];
	return NULL;
}

static struct prefetch_build *find_trusted(struct prefetch *p,
					   const struct trusted_code *code)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->building[i].code == code)
			return &p->building[i];
	return NULL;
}

/* ---- in the child ------------------------------------------------------- */

static volatile int told_to_stop;

static void stop(int number)
{
	(void)number;
	told_to_stop = 2;
}

/* Of its own process group, so that a Ctrl-C reaches only us and we pass it on.
 * Told to stop, or left alone, it ends its compiler, with all that it has
 * started, and removes its files: killed, it would leave both. */
static void become_build(struct builder *b, pid_t parent, const sigset_t *mask)
{
	const struct sigaction action = {.sa_handler = stop};
	sigset_t own = *mask;

	setpgid(0, 0);
	sigaction(SIGTERM, &action, NULL);
	builder_stop_at(b, &told_to_stop);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || getppid() != parent)
		_exit(1);
	/* In a thread of a pool it was blocked. */
	sigdelset(&own, SIGTERM);
	sigprocmask(SIG_SETMASK, &own, NULL);
}

/* ---- in the parent ------------------------------------------------------ */

/* True in the child. In the parent *one is the build; NULL: it did not begin,
 * and is built when it is needed. */
static bool is_child(struct prefetch_build **one, struct prefetch *p,
		     struct builder *b)
{
	pid_t parent = getpid(), pid;
	sigset_t term, before;

	*one = NULL;
	p->stop_now = b->stop_now;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	/* Our own handler does not end a build. */
	sigprocmask(SIG_BLOCK, &term, &before);
	pid = fork();
	if (pid == 0) {
		become_build(b, parent, &before);
		return true;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid > 0) {
		*one = &p->building[p->n++];
		**one = (struct prefetch_build){.pid = pid};
	}
	return false;
}

bool prefetch_begin(struct prefetch *p, struct builder *b,
		    const struct candidate *c, bool is_sure)
{
	struct build built = BUILD_INIT;
	struct prefetch_build *one;

	reap(p);
	if (find(p, c))
		return true;
	if (p->n + (is_sure ? 0 : FOR_SURE) >= prefetch_at_once())
		return false;
	if (is_child(&one, p, b))
		_exit(build_candidate(&built, b, &c->files) != NULL);
	if (one)
		memcpy(one->id, c->sources_id, sizeof one->id);
	return one;
}

void prefetch_begin_trusted(struct prefetch *p, struct builder *b,
			    const struct fileset *files,
			    const struct trusted_code *code)
{
	struct build built = BUILD_INIT;
	struct prefetch_build *one;

	reap(p);
	if (p->n >= TRUSTED_MAX || find_trusted(p, code))
		return;
	if (is_child(&one, p, b))
		_exit(build_trusted(&built, b, files, code) != NULL);
	if (one)
		one->code = code;
}

static void await(struct prefetch *p, struct prefetch_build *one)
{
	const struct timespec pause = {0, 10000000};
	struct rusage used = {0};

	if (!one)
		return;
	while (wait4(one->pid, NULL, WNOHANG, &used) == 0) {
		/* Whoever builds it now sees that, too. */
		if (p->stop_now && *p->stop_now == 2)
			return;
		nanosleep(&pause, NULL);
	}
	drop(p, (size_t)(one - p->building), &used);
}

void prefetch_await(struct prefetch *p, const struct candidate *c)
{
	await(p, find(p, c));
}

void prefetch_await_trusted(struct prefetch *p, const struct trusted_code *code)
{
	await(p, find_trusted(p, code));
}

/* Waits for its end, and kills it after the deadline. */
static void await_end(pid_t pid, double deadline)
{
	const struct timespec pause = {0, 1000000};

	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (clock_seconds() > deadline)
			kill(pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
}

void prefetch_stop(struct prefetch *p)
{
	double deadline = clock_seconds() + STOP_SECONDS;

	for (size_t i = 0; i < p->n; i++)
		kill(p->building[i].pid, SIGTERM);
	for (size_t i = 0; i < p->n; i++)
		await_end(p->building[i].pid, deadline);
	p->n = 0;
}
