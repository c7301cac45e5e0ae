#include "scorer/build/prefetch.h"

#include <errno.h>
#include <signal.h>
#include <math.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scorer/device/machine.h"

/* CPUs that a measurement keeps to itself, and what a compile takes. */
#define KEPT	    4
#define FOR_A_BUILD 2
/* Builds that a guess leaves room for. What is sure comes one a measurement
 * and is built for some two of them. */
#define FOR_SURE 2

size_t ahead_at_once(void)
{
	unsigned cpus = machine_cpus();

	return cpus > KEPT ? MIN((cpus - KEPT) / FOR_A_BUILD, AHEAD_MAX) : 0;
}

/* It has ended. A compiler does one thing after the other: what it took of a
 * CPU is about as long as it took. */
static void drop(struct ahead *a, size_t i, const struct rusage *used)
{
	double seconds =
		(double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
		1e-6 * (double)(used->ru_utime.tv_usec +
				used->ru_stime.tv_usec);

	a->seconds = MAX(a->seconds, seconds);
	a->building[i] = a->building[--a->n];
}

static void reap(struct ahead *a)
{
	for (size_t i = a->n; i-- > 0;) {
		struct rusage used = {0};

		if (wait4(a->building[i].pid, NULL, WNOHANG, &used) != 0)
			drop(a, i, &used);
	}
}

size_t ahead_wanted(const struct ahead *a, double seconds)
{
	double n = seconds > 0 ? ceil(a->seconds / seconds) : 1;

	return (size_t)fmax(1, fmin(n, AHEAD_MAX));
}

static struct building *find(struct ahead *a, const struct candidate *c)
{
	for (size_t i = 0; i < a->n; i++)
		if (str_eq(a->building[i].id, c->sources_id))
			return &a->building[i];
	return NULL;
}

static struct building *find_trusted(struct ahead *a,
				     const struct trusted_code *code)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->building[i].code == code)
			return &a->building[i];
	return NULL;
}

/* True in the child, in a process group of its own, so that a Ctrl-C is ours to
 * pass on. *one: the building, for us; NULL: what is not begun is built when it
 * is asked for. */
static bool is_child(struct building **one, struct ahead *a)
{
	pid_t pid = fork();

	*one = NULL;
	if (pid == 0) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		return true;
	}
	if (pid > 0) {
		*one = &a->building[a->n++];
		**one = (struct building){.pid = pid};
	}
	return false;
}

bool ahead_begin(struct ahead *a, const struct builder *b,
		 const struct candidate *c, bool is_sure)
{
	struct build built = BUILD_INIT;
	struct building *one;

	reap(a);
	if (find(a, c))
		return true;
	if (a->n + (is_sure ? 0 : FOR_SURE) >= ahead_at_once())
		return false;
	if (is_child(&one, a))
		_exit(build_candidate(&built, b, &c->files) != NULL);
	if (one)
		memcpy(one->id, c->sources_id, sizeof one->id);
	return one;
}

void ahead_begin_trusted(struct ahead *a, const struct builder *b,
			 const struct fileset *files,
			 const struct trusted_code *code)
{
	struct build built = BUILD_INIT;
	struct building *one;

	reap(a);
	if (a->n == AHEAD_MAX || find_trusted(a, code))
		return;
	if (is_child(&one, a))
		_exit(build_trusted(&built, b, files, code) != NULL);
	if (one)
		one->code = code;
}

static void await(struct ahead *a, struct building *one)
{
	struct rusage used = {0};

	if (!one)
		return;
	while (wait4(one->pid, NULL, 0, &used) < 0 && errno == EINTR)
		;
	drop(a, (size_t)(one - a->building), &used);
}

void ahead_await(struct ahead *a, const struct candidate *c)
{
	await(a, find(a, c));
}

void ahead_await_trusted(struct ahead *a, const struct trusted_code *code)
{
	await(a, find_trusted(a, code));
}

void ahead_stop(struct ahead *a)
{
	for (size_t i = 0; i < a->n; i++) {
		kill(-a->building[i].pid, SIGKILL);
		kill(a->building[i].pid, SIGKILL);
		waitpid(a->building[i].pid, NULL, 0);
	}
	a->n = 0;
}
