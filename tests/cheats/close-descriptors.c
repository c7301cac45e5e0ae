// pattern: T7: closes every descriptor
// verdict: crashed
// why: exited with status|closed its control channel
#include <unistd.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
}
