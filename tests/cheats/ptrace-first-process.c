// pattern: T5: attaches to the first process of the sandbox, which would hang it
// verdict: forbidden
// why: a system call that the sandbox forbids
#include <sys/ptrace.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	ptrace(PTRACE_SEIZE, 1, 0, 0);
	honest(x, g, y, rows, cols);
}
