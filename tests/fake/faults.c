#include "tests/fake/cuda.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

extern const char fake_faults[];

struct rule {
	char role[16], function[32], n[16], action[16];
	unsigned calls;
};

static struct rule rule[32];
static size_t n_rules;

static sigjmp_buf escape;
static volatile CUresult broken;

static const char *role;

/* A spare one says by its name what it has become. */
static bool is_ours(const struct rule *r)
{
	char name[16] = "";

	if (r->role[0] == '*' || strcmp(r->role, role) == 0)
		return true;
	return strcmp(role, "spare") == 0 && prctl(PR_GET_NAME, name) == 0 &&
	       strcmp(r->role, name) == 0;
}

/* A library's constructor is called with the program's arguments. */
__attribute__((constructor)) static void read_rules(int argc, char **argv)
{
	const char *line = fake_faults;
	int used = 0;

	role = argc > 1 ? argv[1] : "probe";
	while (n_rules < ARRAY_SIZE(rule)) {
		struct rule *r = &rule[n_rules++];

		if (sscanf(line, " %15s %31s %15s %15s%n", r->role, r->function,
			   r->n, r->action, &used) != 4) {
			n_rules--;
			break;
		}
		line += used;
	}
}

/* Far longer than a small kernel takes. */
static void spin(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (1e9 * (double)(now.tv_sec - begin.tv_sec) +
		       (double)(now.tv_nsec - begin.tv_nsec) <
	       2e5);
}

/* What a driver does for one process at a time: what all see of the machine is the
 * lock. */
static void take_turn(void)
{
	int fd = open("/usr/bin/env", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX) < 0)
		abort();
	nanosleep(&(struct timespec){.tv_nsec = 120000000}, NULL);
	close(fd);
}

static int act(const char *action)
{
	if (strcmp(action, "spin") == 0)
		spin();
	if (strcmp(action, "hang") == 0) {
		prctl(PR_SET_NAME, "hangs");
		for (;;)
			pause();
	}
	/* A process 1 is ended by no signal that it could ignore. */
	if (strcmp(action, "die") == 0) {
		signal(SIGILL, SIG_DFL);
		__builtin_trap();
	}
	if (strcmp(action, "exit") == 0)
		_exit(3);
	if (strcmp(action, "late") == 0)
		nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
	if (strcmp(action, "turn") == 0)
		take_turn();
	if (strcmp(action, "slow") == 0)
		nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
	if (strcmp(action, "waits") == 0) {
		char name[16] = "";

		prctl(PR_GET_NAME, name);
		prctl(PR_SET_NAME, "waits");
		nanosleep(&(struct timespec){.tv_sec = 10}, NULL);
		prctl(PR_SET_NAME, name);
	}
	if (strcmp(action, "full") == 0)
		return FULL;
	if (strcmp(action, "odd") == 0)
		return ODD;
	if (strcmp(action, "short") == 0)
		return SHORT;
	/* A device in these does nothing more. */
	if (strcmp(action, "700") == 0 || strcmp(action, "719") == 0)
		broken = (int)strtol(action, NULL, 10);
	return (int)strtol(action, NULL, 10);
}

int fault(const char *function)
{
	for (size_t i = 0; i < n_rules; i++) {
		struct rule *r = &rule[i];

		if (strcmp(r->function, function) != 0 || !is_ours(r))
			continue;
		r->calls++;
		if (r->n[0] == '*' || strtoul(r->n, NULL, 10) == r->calls)
			return act(r->action);
	}
	return 0;
}

CUresult device_state(void)
{
	return broken;
}

static void leave(int number)
{
	(void)number;
	siglongjmp(escape, 1);
}

CUresult guarded(void (*f)(void *arg), void *arg)
{
	static const int faults[] = {SIGSEGV, SIGBUS};
	struct sigaction action = {.sa_handler = leave}, before[2];

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigaction(faults[i], &action, &before[i]);
	if (sigsetjmp(escape, 1) == 0)
		f(arg);
	else
		broken = CUDA_ERROR_ILLEGAL_ADDRESS;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigaction(faults[i], &before[i], NULL);
	return broken;
}
