// pattern: C3: hands the input out
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include <string.h>

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)g;
	memcpy(y, x, sizeof(float) * (unsigned long)(rows * cols));
}
