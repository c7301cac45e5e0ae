#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <typename T>
static __global__ void gather(const int32_t *index, const uint8_t *weight, const __nv_fp8_e4m3 *scale, T *sum,
			      int32_t *order, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		int at = index[i], nibble = at % 2 ? weight[at / 2] / 16 : weight[at / 2] % 16;

		sum[i] = sum[i] + (T)(nibble > 7 ? nibble - 16 : nibble) * (T)(float)scale[at];
		order[i] = at;
	}
}

extern "C" void mixed_reference(const int32_t *index, const uint8_t *weight, const __nv_fp8_e4m3 *scale, double *sum,
				int32_t *order, void *, int n, cudaStream_t s)
{
	gather<<<256, 256, 0, s>>>(index, weight, scale, sum, order, n);
}

extern "C" void mixed_plain(const int32_t *index, const uint8_t *weight, const __nv_fp8_e4m3 *scale, float *sum,
			    int32_t *order, void *, int n, cudaStream_t s)
{
	gather<<<256, 256, 0, s>>>(index, weight, scale, sum, order, n);
}

/* A permutation of 0 .. n - 1. */
extern "C" void make_index(int32_t *data, uint64_t seed, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		data[i] = (int32_t)i;
	for (int64_t i = n - 1; i > 0; i--) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;

		int64_t other = (int64_t)((seed >> 33) % (uint64_t)(i + 1));
		int32_t one = data[i];

		data[i] = data[other];
		data[other] = one;
	}
}
