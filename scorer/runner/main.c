/*
 * The program inside the sandbox: `avogit-runner candidate` or
 * `avogit-runner judge`. Installs the strict filter, loads the shared object
 * it was handed, and serves the scorer until that is gone. For `avogit-runner
 * replay FOLDER` see profiled_run in roles.h.
 */
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "scorer/runner/heap.h"
#include "scorer/runner/roles.h"

/* The sandbox ends us with the scorer, except in the first moment, before
 * bubblewrap has asked for that. So this is checked now: a runner that hangs in
 * a driver later could not check it and would stay for ever. */
static bool scorer_is_there(void)
{
	struct pollfd p = {.fd = RUNNER_CONTROL_FD};

	return poll(&p, 1, 0) == 0;
}

/* A judge needs arrays of megabytes for each launch: what it frees stays its own, so
 * that their pages are not asked for and cleared each time. 32 MiB is the most that
 * the C library takes. */
static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

int main(int argc, char **argv)
{
	struct functions f = {0};
	union runner_request *r;
	int fd[CHANNEL_MAX_FDS];
	const char *why;

	/* Before any descriptor is used: a profiler has its own. */
	if (argc == 3 && str_eq(argv[1], "replay"))
		return profiled_run(argv[2]);
	if (!scorer_is_there())
		return 2;
	/* If no namespace hides us, another program of the same user could
	 * write our memory. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return 2;
	r = xcalloc(1, sizeof *r);
	why = load_filter();
	close(RUNNER_PROGRAM_FD);
	if (argc != 2 || !channel_receive(r, fd) ||
	    r->head.kind != MESSAGE_START) {
		free(r);
		return 2;
	}
	load_fault_reports(&r->head.sequence);
	if (!why && !str_eq(argv[1], "spare") && !str_eq(argv[1], "ceilings"))
		why = load_functions(&f, &r->start);
	if (why) {
		channel_refuse(r, why);
		free(r);
		return 1;
	}
	/* A spare opens the GPU first and then answers itself. */
	if (!str_eq(argv[1], "spare"))
		channel_reply(r, MESSAGE_STARTED);
	if (str_eq(argv[1], "judge") || str_eq(argv[1], "gpu-judge"))
		keep_memory();
	if (str_eq(argv[1], "judge"))
		judge_serve(r, &f);
	else if (str_eq(argv[1], "gpu-judge"))
		gpu_judge_serve(r, &f);
	else if (str_eq(argv[1], "spare"))
		spare_serve(r);
	else if (str_eq(argv[1], "ceilings"))
		ceilings_serve(r);
	else if (str_eq(argv[1], "resident"))
		resident_serve(r, f.entry, f.prepare);
	else {
		heap_dirty();
		candidate_serve(r, f.entry, f.prepare);
	}
	free(r);
	return 0;
}
