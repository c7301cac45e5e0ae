// pattern: E6: ends the process that captures it
// verdict: crashed
// why: exited with status 0
#include <unistd.h>

#include "honest.cuh"

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	(void)x, (void)y, (void)a, (void)rows, (void)cols, (void)s;
	_exit(0);
}
