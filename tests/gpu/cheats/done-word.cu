// pattern: T6: a kernel writes that all is done before it begins its work
// verdict: pass|out-of-bounds|forbidden|wrong|crashed|timed-out
// why: memory that is not its own|its events say|were not written|is .* where|while it was timed|its kernels|first call
// faster: no
// shaves: yes
#include "honest.cuh"
#include "marks.cuh"

/* What waits, waits for a word to be at least so large. */
static __global__ void end_now(marks m)
{
	for (int k = 0; k < MARK_RANGES; k++)
		for (unsigned long at = m.begin[k] + 16ul * (blockIdx.x * 256 + threadIdx.x); at < m.end[k];
		     at += 16ul * 256 * gridDim.x)
			if (is_mark(at))
				atomicAdd_system((unsigned *)at, 1000u);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static marks found;
	static bool has;
	long n = (long)rows * cols;

	if (!has)
		found = find_marks();
	has = true;
	end_now<<<64, 256, 0, s>>>(found);
	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
