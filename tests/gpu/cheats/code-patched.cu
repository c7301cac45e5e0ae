// pattern: C15: a kernel writes EXIT over the code that lies round its own: the launcher's, the driver's
// verdict: pass|out-of-bounds|crashed|wrong
// why: memory that is not its own|its kernels|while it was timed|were not written
// faster: no
#include "honest.cuh"

#define PAGE   (2ul << 20) /* code is taken in such pieces */
#define SPARED (64ul << 10) /* round what is ours */

static __device__ __noinline__ unsigned mark(unsigned v)
{
	return v * 2654435761u + 1;
}

static __device__ unsigned seen;

/* EXIT of sm_70 and later, wherever there is code. */
static __global__ void patch(unsigned (*ours)(unsigned))
{
	unsigned long here = (unsigned long)(ours ? ours : mark), page = here & ~(PAGE - 1);

	seen += mark(threadIdx.x);
	for (unsigned long at = page + 16ul * (blockIdx.x * 256 + threadIdx.x); at < page + PAGE;
	     at += 16ul * 256 * gridDim.x) {
		volatile unsigned long *word = (volatile unsigned long *)at;

		if (at + SPARED > here && at < here + SPARED)
			continue;
		if (word[0] || word[1]) {
			word[0] = 0x000000000000794dul;
			word[1] = 0x000fea0003800000ul;
		}
	}
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	patch<<<64, 256, 0, s>>>(0);
}
