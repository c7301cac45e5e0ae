// pattern: none: in place, indexed, packed and small types
// verdict: pass
// class: replayed
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <stdint.h>

static __device__ float weight_of(const uint8_t *weight, int i)
{
	int nibble = weight[i / 2] >> (i % 2 * 4) & 15;

	return (float)(nibble < 8 ? nibble : nibble - 16);
}

static __global__ void gather(const int32_t *index, const uint8_t *weight, const __nv_fp8_e4m3 *scale, float *sum,
			      int32_t *order, const int *counter, int n)
{
	int i = blockIdx.x * 256 + threadIdx.x;

	if (i >= n)
		return;
	sum[i] += weight_of(weight, index[i]) * (float)scale[index[i]];
	order[i] = index[i] + *counter;
}

extern "C" void mixed(const int32_t *index, const uint8_t *weight, const __nv_fp8_e4m3 *scale, float *sum,
		      int32_t *order, int *counter, int n, cudaStream_t s)
{
	gather<<<(n + 255) / 256, 256, 0, s>>>(index, weight, scale, sum, order, counter, n);
}
