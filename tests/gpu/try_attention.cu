// Runs one attention kernel on ragged, causal and grouped shapes and on large
// ones, beside the example's own reference: how far it and a plain version are
// off, and how fast it is. Built by try_attention.sh, a program a kernel.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ENTRY
#define ENTRY attention
#endif
#define D      128
#define SAMPLE 48 // rows of a large case
#define TIMED  5

using bf16 = __nv_bfloat16;

extern "C" void ENTRY(const bf16 *, const bf16 *, const bf16 *, bf16 *, int, int, int, int, int, cudaStream_t);
extern "C" void attention_reference(const bf16 *, const bf16 *, const bf16 *, double *, int, int, int, int, int, long,
				    long, cudaStream_t);
extern "C" void attention_plain(const bf16 *, const bf16 *, const bf16 *, bf16 *, int, int, int, int, int, long, long,
				cudaStream_t);

struct shape {
	int batch, seq, heads, kv_heads, causal;
};

static const struct shape small[] = {
	{1, 1, 1, 1, 0},      {1, 1, 2, 1, 1},	   {1, 64, 1, 1, 0},	{1, 128, 1, 1, 0},   {1, 128, 1, 1, 1},
	{1, 129, 1, 1, 0},    {1, 129, 1, 1, 1},   {2, 255, 4, 2, 1},	{2, 256, 4, 2, 0},   {1, 512, 2, 2, 1},
	{1, 512, 2, 2, 0},    {3, 1000, 8, 2, 1},  {3, 1000, 8, 2, 0},	{2, 1023, 16, 4, 1}, {2, 777, 12, 4, 0},
	{1, 2048, 16, 16, 1}, {1, 2048, 32, 4, 0}, {2, 2049, 32, 8, 1}, {1, 3000, 3, 1, 1},  {2, 191, 2, 1, 1},
};

static const struct shape large[] = {
	{8, 4096, 16, 16, 1}, {8, 4096, 16, 16, 0}, {4, 8192, 32, 8, 1},   {4, 8192, 16, 16, 0},
	{2, 16384, 32, 4, 1}, {2, 16384, 32, 8, 0}, {1, 32768, 16, 16, 1}, {1, 32768, 32, 4, 0},
};

static void check(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	printf("FAILED %s: %s\n", what, cudaGetErrorString(e));
	exit(1);
}

static __device__ uint32_t mix(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ (x >> 16);
}

static __global__ void fill(bf16 *out, size_t n, uint32_t seed)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
		uint32_t a = mix((uint32_t)i * 0x9e3779b9u + seed), b = mix(a + 0x85ebca6bu);
		float u = ((a >> 8) + 0.5f) / 16777216.0f, v = (b >> 8) / 16777216.0f;

		out[i] = __float2bfloat16(sqrtf(-2 * logf(u)) * cospif(2 * v));
	}
}

struct run {
	struct shape s;
	size_t rows, row; // tokens, and numbers of a token of q and o
	bf16 *q, *k, *v, *o, *plain;
	double *reference;
};

template <typename T> static T *room(size_t n)
{
	void *p = NULL;

	check(cudaMalloc(&p, n * sizeof(T)), "cudaMalloc");
	return (T *)p;
}

static void open_run(struct run *r, const struct shape *s)
{
	size_t other;

	r->s = *s;
	r->rows = (size_t)s->batch * s->seq;
	r->row = (size_t)s->heads * D;
	other = (size_t)s->kv_heads * D * r->rows;
	r->q = room<bf16>(r->rows * r->row);
	r->k = room<bf16>(other);
	r->v = room<bf16>(other);
	r->o = room<bf16>(r->rows * r->row);
	r->plain = room<bf16>(r->rows * r->row);
	r->reference = room<double>(r->rows * r->row);
	fill<<<1024, 256>>>(r->q, r->rows * r->row, 1);
	fill<<<1024, 256>>>(r->k, other, 2);
	fill<<<1024, 256>>>(r->v, other, 3);
	check(cudaMemset(r->o, 0xff, r->rows * r->row * sizeof(bf16)), "poison");
	check(cudaDeviceSynchronize(), "filling");
}

static void close_run(struct run *r)
{
	cudaFree(r->q);
	cudaFree(r->k);
	cudaFree(r->v);
	cudaFree(r->o);
	cudaFree(r->plain);
	cudaFree(r->reference);
}

static void launch(const struct run *r)
{
	ENTRY(r->q, r->k, r->v, r->o, r->s.batch, r->s.seq, r->s.heads, r->s.kv_heads, r->s.causal, 0);
	check(cudaGetLastError(), "launch");
}

struct error {
	double largest, squares, plain_largest, plain_squares, reference_squares;
	size_t n, nans;
	long worst_row;
	size_t worst_column;
};

static void compare_rows(struct error *e, const struct run *r, long begin, long end)
{
	const struct shape *s = &r->s;
	size_t n = (size_t)(end - begin) * r->row, at = (size_t)begin * r->row;
	bf16 *o = (bf16 *)malloc(n * sizeof *o), *plain = (bf16 *)malloc(n * sizeof *plain);
	double *reference = (double *)malloc(n * sizeof *reference);

	attention_reference(r->q, r->k, r->v, r->reference, s->batch, s->seq, s->heads, s->kv_heads, s->causal, begin,
			    end, 0);
	attention_plain(r->q, r->k, r->v, r->plain, s->batch, s->seq, s->heads, s->kv_heads, s->causal, begin, end, 0);
	check(cudaDeviceSynchronize(), "reference");
	check(cudaMemcpy(o, r->o + at, n * sizeof *o, cudaMemcpyDeviceToHost), "copy");
	check(cudaMemcpy(plain, r->plain + at, n * sizeof *plain, cudaMemcpyDeviceToHost), "copy");
	check(cudaMemcpy(reference, r->reference + at, n * sizeof *reference, cudaMemcpyDeviceToHost), "copy");
	for (size_t i = 0; i < n; i++) {
		double off = fabs((double)__bfloat162float(o[i]) - reference[i]);
		double plain_off = fabs((double)__bfloat162float(plain[i]) - reference[i]);

		if (isnan(off)) {
			e->nans++;
			off = 1e9;
		}
		if (off > e->largest) {
			e->largest = off;
			e->worst_row = begin + (long)(i / r->row);
			e->worst_column = i % r->row;
		}
		e->squares += off * off;
		e->plain_largest = fmax(e->plain_largest, plain_off);
		e->plain_squares += plain_off * plain_off;
		e->reference_squares += reference[i] * reference[i];
	}
	e->n += n;
	free(o);
	free(plain);
	free(reference);
}

// The relative error, and how much of twice the plain version's is used.
static int tell(const struct run *r, const struct error *e, const char *more)
{
	double used = sqrt(e->squares) / (2 * sqrt(e->plain_squares) + 1e-9 * sqrt(e->reference_squares));
	double peak = e->largest / (2 * e->plain_largest + 0.004);
	bool ok = !e->nans && used < 1 && peak < 1;

	printf("%s b=%d s=%d h=%d/%d %s: error %.2e (plain %.2e), largest %.4f at row %ld head %zu d %zu, %zu NaN%s\n",
	       ok ? "ok    " : "WRONG ", r->s.batch, r->s.seq, r->s.heads, r->s.kv_heads,
	       r->s.causal ? "causal" : "full", sqrt(e->squares / e->reference_squares),
	       sqrt(e->plain_squares / e->reference_squares), e->largest, e->worst_row, e->worst_column / D,
	       e->worst_column % D, e->nans, more);
	fflush(stdout);
	return !ok;
}

static int try_small(const struct shape *s)
{
	struct error e = {};
	struct run r;
	bf16 *first, *second;
	size_t bytes;
	int wrong, differs;

	open_run(&r, s);
	bytes = r.rows * r.row * sizeof(bf16);
	launch(&r);
	check(cudaDeviceSynchronize(), "kernel");
	compare_rows(&e, &r, 0, (long)r.rows);
	first = (bf16 *)malloc(bytes);
	second = (bf16 *)malloc(bytes);
	check(cudaMemcpy(first, r.o, bytes, cudaMemcpyDeviceToHost), "copy");
	check(cudaMemset(r.o, 0xff, bytes), "poison");
	launch(&r);
	check(cudaMemcpy(second, r.o, bytes, cudaMemcpyDeviceToHost), "copy");
	differs = memcmp(first, second, bytes) != 0;
	wrong = tell(&r, &e, differs ? ", DIFFERS when run again" : "");
	free(first);
	free(second);
	close_run(&r);
	return wrong || differs;
}

static int try_large(const struct shape *s)
{
	struct error e = {};
	struct run r;
	cudaEvent_t begin, end;
	char rate[64];
	float ms = 0, best = 1e30f, one;
	int wrong;

	open_run(&r, s);
	check(cudaEventCreate(&begin), "event");
	check(cudaEventCreate(&end), "event");
	launch(&r);
	check(cudaDeviceSynchronize(), "kernel");
	for (int i = 0; i < TIMED; i++) {
		check(cudaEventRecord(begin), "event");
		launch(&r);
		check(cudaEventRecord(end), "event");
		check(cudaEventSynchronize(end), "kernel");
		check(cudaEventElapsedTime(&one, begin, end), "event");
		best = fminf(best, one);
		ms += one / TIMED;
	}
	for (int i = 0; i < SAMPLE; i++) {
		long row = (long)((double)i / (SAMPLE - 1) * (double)(r.rows - 1));

		compare_rows(&e, &r, row, row + 1);
	}
	double flops = 4.0 * s->batch * s->heads * s->seq * (double)s->seq * D / (1 + s->causal);

	snprintf(rate, sizeof rate, ", %.3f ms, %.0f TFLOPS (best %.0f)", ms, flops / ms / 1e9, flops / best / 1e9);
	wrong = tell(&r, &e, rate);
	cudaEventDestroy(begin);
	cudaEventDestroy(end);
	close_run(&r);
	return wrong;
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "all";
	int wrong = 0;

	if (strcmp(which, "large") != 0)
		for (size_t i = 0; i < sizeof small / sizeof *small; i++)
			wrong += try_small(&small[i]);
	if (strcmp(which, "small") != 0)
		for (size_t i = 0; i < sizeof large / sizeof *large; i++)
			wrong += try_large(&large[i]);
	printf("%d wrong\n", wrong);
	return wrong > 0;
}
