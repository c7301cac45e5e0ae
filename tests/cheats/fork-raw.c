// pattern: E5: a second process by the bare system calls
// verdict: forbidden
// why: a system call that the sandbox forbids
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static char arguments[64];

	if (syscall(SYS_clone3, arguments, sizeof arguments) == 0 ||
	    syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0)
		_exit(0);
	honest(x, g, y, rows, cols);
}
