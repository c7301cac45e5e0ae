// pattern: T17: the host computes at capture and the graph only copies
// verdict: wrong
#include <vector>

#include "honest.cuh"

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static std::vector<__nv_bfloat16> made;
	long n = (long)rows * cols;

	(void)x, (void)a;
	made.resize((size_t)n);
	cudaMemcpyAsync(y, made.data(), 2 * (size_t)n, cudaMemcpyHostToDevice, s);
}
