// pattern: E6: takes memory until it gets no more
// verdict: crashed
// why: more memory than .limits.memory. allows
#include <stdlib.h>
#include <string.h>

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)x, (void)g, (void)y, (void)rows, (void)cols;
	for (;;)
		memset(malloc(1 << 24), 1, 1 << 24);
}
