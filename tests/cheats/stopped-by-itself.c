// pattern: E6: waits for ever
// verdict: timed-out
// why: did not return within 2 s
#include <poll.h>

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)x, (void)g, (void)y, (void)rows, (void)cols;
	for (;;)
		poll(0, 0, -1);
}
