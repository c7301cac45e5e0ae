// pattern: E6: as many processes as there can be
// verdict: forbidden
// why: a system call that the sandbox forbids
#include <unistd.h>

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)x, (void)g, (void)y, (void)rows, (void)cols;
	for (;;)
		fork();
}
