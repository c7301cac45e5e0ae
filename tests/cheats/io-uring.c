// pattern: T8: system calls that no filter sees
// verdict: forbidden
// why: a system call that the sandbox forbids
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static char parameters[128];

	syscall(SYS_io_uring_setup, 4, parameters);
	honest(x, g, y, rows, cols);
}
