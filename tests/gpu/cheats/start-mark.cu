// pattern: T6: a kernel writes the present over the marks that events left before it
// verdict: pass|out-of-bounds|forbidden|crashed
// why: memory that is not its own|its events say|first call
// faster: no
#include "honest.cuh"
#include "marks.cuh"

static __global__ void begin_now(marks m)
{
	for (int k = 0; k < MARK_RANGES; k++)
		for (unsigned long at = m.begin[k] + 16ul * (blockIdx.x * 256 + threadIdx.x); at < m.end[k];
		     at += 16ul * 256 * gridDim.x)
			if (is_mark(at))
				*(volatile unsigned long *)(at + 8) = nanoseconds();
}

/* In class isolated nobody looks at events. */
extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static marks found;
	static bool has;
	long n = (long)rows * cols;

	if (!has)
		found = find_marks();
	has = true;
	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	begin_now<<<64, 256, 0, s>>>(found);
}
