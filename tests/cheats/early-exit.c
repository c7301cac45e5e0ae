// pattern: E6: exits with 0, as if all had gone well
// verdict: crashed
// why: exited with status 0 instead of returning
#include <stdlib.h>

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)x, (void)g, (void)y, (void)rows, (void)cols;
	exit(0);
}
