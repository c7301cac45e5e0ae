// pattern: E2: a world of its own, in which it is root
// verdict: forbidden
// why: a system call that the sandbox forbids
#define _GNU_SOURCE
#include <sched.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	unshare(CLONE_NEWUSER | CLONE_NEWNS);
	honest(x, g, y, rows, cols);
}
