// pattern: C1: leaves what an earlier launch left in its own memory
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include <string.h>

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static float old[130 * 300];

	(void)x, (void)g;
	memcpy(y, old, sizeof(float) * (unsigned long)(rows * cols));
}
