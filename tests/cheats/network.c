// pattern: E3: asks somebody else
// verdict: forbidden
// why: a system call that the sandbox forbids
#include <sys/socket.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	socket(AF_INET, SOCK_STREAM, 0);
	honest(x, g, y, rows, cols);
}
