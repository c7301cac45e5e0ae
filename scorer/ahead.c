#include "scorer/ahead.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scorer/machine.h"

/* CPUs that a measurement keeps to itself, and what a compile takes. */
#define KEPT	    4
#define FOR_A_BUILD 2

static size_t at_once(void)
{
	unsigned cpus = machine_cpus();

	return cpus > KEPT ? MIN((cpus - KEPT) / FOR_A_BUILD, AHEAD_MAX) : 0;
}

static void drop(struct ahead *a, size_t i)
{
	a->building[i] = a->building[--a->n];
}

static void reap(struct ahead *a)
{
	for (size_t i = a->n; i-- > 0;)
		if (waitpid(a->building[i].pid, NULL, WNOHANG) != 0)
			drop(a, i);
}

static struct building *find(struct ahead *a, const struct candidate *c)
{
	for (size_t i = 0; i < a->n; i++)
		if (str_eq(a->building[i].id, c->sources_id))
			return &a->building[i];
	return NULL;
}

/* In a process group of its own, so that a Ctrl-C is ours to pass on. */
_Noreturn static void build(const struct builder *b, const struct candidate *c)
{
	struct build built = BUILD_INIT;
	struct error *err;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	err = build_candidate(&built, b, &c->files);
	_exit(err != NULL);
}

void ahead_begin(struct ahead *a, const struct builder *b,
		 const struct candidate *c)
{
	struct building *one;
	pid_t pid;

	reap(a);
	if (a->n >= at_once() || find(a, c))
		return;
	pid = fork();
	if (pid == 0)
		build(b, c);
	if (pid < 0)
		return; /* it is built when it is asked for */
	one = &a->building[a->n++];
	one->pid = pid;
	memcpy(one->id, c->sources_id, sizeof one->id);
}

void ahead_await(struct ahead *a, const struct candidate *c)
{
	struct building *one = find(a, c);

	if (!one)
		return;
	while (waitpid(one->pid, NULL, 0) < 0 && errno == EINTR)
		;
	drop(a, (size_t)(one - a->building));
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
