// pattern: E6: ends the program before it is asked anything
// verdict: crashed|build-failed
// why: exited with status 0
#include <unistd.h>

__attribute__((constructor)) static void leave(void)
{
	_exit(0);
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)x, (void)g, (void)y, (void)rows, (void)cols;
}
