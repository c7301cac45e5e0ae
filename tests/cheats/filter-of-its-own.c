// pattern: T8: a filter that rewrites the harness's system calls
// verdict: forbidden
// why: a system call that the sandbox forbids
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static char program[16];

	syscall(SYS_seccomp, 1, 0, program);
	honest(x, g, y, rows, cols);
}
