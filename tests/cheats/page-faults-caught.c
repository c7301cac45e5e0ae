// pattern: T3: fills the output when it is read, by catching page faults
// verdict: forbidden
// why: a system call that the sandbox forbids
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	syscall(SYS_userfaultfd, 1);
	honest(x, g, y, rows, cols);
}
