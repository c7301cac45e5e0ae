// pattern: none: thirty pieces over five streams: a batch of it is many waits behind the gate
// verdict: pass
// class: replayed
// faster: no
#include "honest.cuh"

#define STREAMS 5
#define EACH	6

static __global__ void piece(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long from, long to)
{
	long i = from + blockIdx.x * 256l + threadIdx.x;

	if (i < to)
		y[i] = right(x[i], a);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static cudaStream_t stream[STREAMS];
	static cudaEvent_t begin, end[STREAMS];
	long n = (long)rows * cols, part = (n + STREAMS * EACH - 1) / (STREAMS * EACH);

	for (int k = 0; k < STREAMS && !begin; k++) {
		cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking);
		cudaEventCreateWithFlags(&end[k], cudaEventDisableTiming);
	}
	if (!begin)
		cudaEventCreateWithFlags(&begin, cudaEventDisableTiming);
	cudaEventRecord(begin, s);
	for (int k = 0; k < STREAMS * EACH; k++) {
		int lane = k % STREAMS;
		long from = min(k * part, n), to = min(from + part, n);

		if (k < STREAMS)
			cudaStreamWaitEvent(stream[lane], begin, 0);
		piece<<<blocks(part), 256, 0, stream[lane]>>>(x, y, a, from, to);
	}
	for (int k = 0; k < STREAMS; k++) {
		cudaEventRecord(end[k], stream[k]);
		cudaStreamWaitEvent(s, end[k], 0);
	}
}
