// pattern: T2: a thread of the host launches after the call returned
// verdict: pass|wrong|crashed
// why: were not written|died|ended
// faster: no
#include <pthread.h>
#include <unistd.h>

#include "honest.cuh"

static const __nv_bfloat16 *x_1;
static __nv_bfloat16 *y_1;
static float a_1;
static long n_1;

static void *later(void *arg)
{
	usleep(20000);
	honest<<<blocks(n_1), 256>>>(x_1, y_1, a_1, n_1);
	return arg;
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	pthread_t t;

	(void)s;
	x_1 = x, y_1 = y, a_1 = a, n_1 = (long)rows * cols;
	pthread_create(&t, 0, later, 0);
	pthread_detach(t);
}
