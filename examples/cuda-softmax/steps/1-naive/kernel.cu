#include <cuda_bf16.h>
#include <cuda_runtime.h>

// A block a row, three passes over it in device memory.
static __global__ void softmax_kernel(const __nv_bfloat16 *x, __nv_bfloat16 *y, int cols)
{
	__shared__ float room[256];
	const __nv_bfloat16 *in = x + (long)blockIdx.x * cols;
	__nv_bfloat16 *out = y + (long)blockIdx.x * cols;
	float largest = -INFINITY, sum = 0;

	for (int j = threadIdx.x; j < cols; j += 256)
		largest = fmaxf(largest, __bfloat162float(in[j]));
	room[threadIdx.x] = largest;
	__syncthreads();
	for (int j = 0; j < 256; j++)
		largest = fmaxf(largest, room[j]);
	__syncthreads();
	for (int j = threadIdx.x; j < cols; j += 256)
		sum += expf(__bfloat162float(in[j]) - largest);
	room[threadIdx.x] = sum;
	__syncthreads();
	sum = 0;
	for (int j = 0; j < 256; j++)
		sum += room[j];
	for (int j = threadIdx.x; j < cols; j += 256)
		out[j] = __float2bfloat16(expf(__bfloat162float(in[j]) - largest) / sum);
}

extern "C" void softmax(const __nv_bfloat16 *x, __nv_bfloat16 *y, int rows, int cols, cudaStream_t stream)
{
	softmax_kernel<<<rows, 256, 0, stream>>>(x, y, cols);
}
