// What is right, in double; and the same plainly, in float. A block a row.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

template <typename T> static __device__ T all(T v, T *room, bool largest)
{
	room[threadIdx.x] = v;
	__syncthreads();
	for (unsigned n = blockDim.x / 2; n; n /= 2) {
		if (threadIdx.x < n) {
			T other = room[threadIdx.x + n];

			room[threadIdx.x] = largest ? (other > room[threadIdx.x] ? other : room[threadIdx.x])
						    : room[threadIdx.x] + other;
		}
		__syncthreads();
	}
	v = room[0];
	__syncthreads();
	return v;
}

template <typename T, typename Out> static __global__ void rows_of(const __nv_bfloat16 *x, Out *y, int cols, long begin)
{
	__shared__ T room[256];
	const __nv_bfloat16 *in = x + (begin + blockIdx.x) * cols;
	Out *out = y + (begin + blockIdx.x) * cols;
	T largest = -INFINITY, sum = 0;

	for (int j = threadIdx.x; j < cols; j += blockDim.x)
		largest = max(largest, (T)__bfloat162float(in[j]));
	largest = all(largest, room, true);
	for (int j = threadIdx.x; j < cols; j += blockDim.x)
		sum += exp((T)__bfloat162float(in[j]) - largest);
	sum = all(sum, room, false);
	for (int j = threadIdx.x; j < cols; j += blockDim.x)
		out[j] = (Out)(exp((T)__bfloat162float(in[j]) - largest) / sum);
}

extern "C" void softmax_reference(const __nv_bfloat16 *x, double *y, int rows, int cols, long begin, long end,
				  cudaStream_t stream)
{
	(void)rows;
	rows_of<double><<<(unsigned)(end - begin), 256, 0, stream>>>(x, y, cols, begin);
}

extern "C" void softmax_plain(const __nv_bfloat16 *x, __nv_bfloat16 *y, int rows, int cols, long begin, long end,
			      cudaStream_t stream)
{
	(void)rows;
	rows_of<float><<<(unsigned)(end - begin), 256, 0, stream>>>(x, y, cols, begin);
}
