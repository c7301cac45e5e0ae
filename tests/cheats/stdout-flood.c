// pattern: E7: prints without an end
// verdict: timed-out
// why: did not return within 2 s
#include <unistd.h>

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static char block[1 << 16];

	(void)x, (void)g, (void)y, (void)rows, (void)cols;
	for (;;)
		if (write(1, block, sizeof block) < 0)
			continue;
}
