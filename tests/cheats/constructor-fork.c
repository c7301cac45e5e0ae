// pattern: E5: leaves a second process behind before the filter is looked for
// verdict: forbidden
// why: a system call that the sandbox forbids
#include <unistd.h>

#include "honest.h"

__attribute__((constructor)) static void split(void)
{
	if (fork() == 0)
		for (;;)
			pause();
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
}
