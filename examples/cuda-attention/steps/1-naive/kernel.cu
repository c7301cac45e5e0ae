#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define D    128
#define ROWS 32 // query rows a block
#define KEYS 32 // keys a round

using bf16 = __nv_bfloat16;

// Four threads a query row, each with a quarter of it: numbers 4 * i + part
// of sixteen bytes.
static __global__ void __launch_bounds__(4 * ROWS)
	attention_kernel(const bf16 *q, const bf16 *k, const bf16 *v, bf16 *o, int seq, int heads, int kv_heads,
			 int causal)
{
	__shared__ float key[KEYS][D], value[KEYS][D];
	int part = threadIdx.x % 4, row = blockIdx.x * ROWS + threadIdx.x / 4;
	int head = blockIdx.y, shared = head / (heads / kv_heads);
	long first = (long)blockIdx.z * seq;
	long mine = ((first + min(row, seq - 1)) * heads + head) * D;
	int n = causal ? min(seq, (int)(blockIdx.x + 1) * ROWS) : seq;
	float mq[32], out[32] = {0}, largest = -INFINITY, sum = 0;

#pragma unroll
	for (int i = 0; i < 32; i++)
		mq[i] = __bfloat162float(q[mine + i / 4 * 16 + part * 4 + i % 4]) * 0.08838834764831844055f;
	for (int start = 0; start < n; start += KEYS) {
		__syncthreads();
		for (int i = threadIdx.x; i < KEYS * D; i += 4 * ROWS) {
			int j = start + i / D;
			long at = ((first + j) * kv_heads + shared) * D + i % D;

			key[i / D][i % D] = j < seq ? __bfloat162float(k[at]) : 0;
			value[i / D][i % D] = j < seq ? __bfloat162float(v[at]) : 0;
		}
		__syncthreads();
		for (int j = 0; j < KEYS && start + j < n; j++) {
			float s = 0;

#pragma unroll
			for (int i = 0; i < 32; i++)
				s += mq[i] * key[j][i / 4 * 16 + part * 4 + i % 4];
			s += __shfl_xor_sync(0xffffffff, s, 1);
			s += __shfl_xor_sync(0xffffffff, s, 2);
			if (causal && start + j > row)
				s = -INFINITY;
			float more = fmaxf(largest, s), keep = expf(largest - more), w = expf(s - more);

			largest = more;
			sum = sum * keep + w;
#pragma unroll
			for (int i = 0; i < 32; i++)
				out[i] = out[i] * keep + w * value[j][i / 4 * 16 + part * 4 + i % 4];
		}
	}
	if (row >= seq)
		return;
#pragma unroll
	for (int i = 0; i < 32; i++)
		o[mine + i / 4 * 16 + part * 4 + i % 4] = __float2bfloat16(out[i] / sum);
}

extern "C" void attention(const bf16 *q, const bf16 *k, const bf16 *v, bf16 *o, int batch, int seq, int heads,
			  int kv_heads, int causal, cudaStream_t stream)
{
	dim3 grid((unsigned)((seq + ROWS - 1) / ROWS), (unsigned)heads, (unsigned)batch);

	attention_kernel<<<grid, 4 * ROWS, 0, stream>>>(q, k, v, o, seq, heads, kv_heads, causal);
}
