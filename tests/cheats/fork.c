// pattern: E5: a second process does the work
// verdict: forbidden
// why: a system call that the sandbox forbids
#include <unistd.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	if (fork() == 0) {
		honest(x, g, y, rows, cols);
		_exit(0);
	}
}
