// pattern: C11: zeros, which an absolute tolerance lets pass
// verdict: wrong
// why: is -?0 where .* is right
#include <string.h>

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)x, (void)g;
	memset(y, 0, sizeof(float) * (unsigned long)(rows * cols));
}
