// A matrix product of the examples by itself: right on ragged shapes, and how
// fast. KERNEL is the file, ENTRY the function; try.sh says how.
#include "try.h"
#include KERNEL

static __global__ void rows_of(const bf16 *a, const bf16 *b, float *c, int n,
			       int k, long begin)
{
	long i = begin + blockIdx.y;
	int j = blockIdx.x * 8 + threadIdx.x / 32;
	double sum = 0;

	if (j >= n)
		return;
	for (int p = threadIdx.x % 32; p < k; p += 32)
		sum += (double)(__bfloat162float(a[i * k + p]) *
				__bfloat162float(b[(long)j * k + p]));
	for (int lanes = 16; lanes; lanes /= 2)
		sum += __shfl_xor_sync(0xffffffff, sum, lanes);
	if (threadIdx.x % 32 == 0)
		c[blockIdx.y * (long)n + j] = (float)sum;
}

struct product {
	int m, n, k;
	bf16 *a, *b, *c;
};

static product product_make(int m, int n, int k)
{
	product p = {m,
		     n,
		     k,
		     make((long)m * k),
		     make((long)n * k),
		     make((long)m * n)};

	fill(p.a, (long)m * k, 1);
	fill(p.b, (long)n * k, 1ull << 40);
	MUST(cudaDeviceSynchronize());
	return p;
}

static void product_free(product *p)
{
	cudaFree(p->a);
	cudaFree(p->b);
	cudaFree(p->c);
}

static float check_rows(const product *p, long begin, long end)
{
	float *right, off;

	MUST(cudaMalloc(&right, (size_t)(end - begin) * p->n * sizeof *right));
	rows_of<<<dim3((p->n + 7) / 8, (unsigned)(end - begin)), 256>>>(
		p->a, p->b, right, p->n, p->k, begin);
	MUST(cudaDeviceSynchronize());
	off = worst(p->c, right, p->n, begin, end, 0.05f * sqrtf(p->k));
	cudaFree(right);
	return off;
}

// A unit is rounding; fp32 sums in another order are a little more.
static bool check(watch *w, int m, int n, int k)
{
	product p = product_make(m, n, k);
	float off = 0;
	bool guarded;

	ENTRY(p.a, p.b, p.c, m, n, k, w->stream);
	MUST(cudaGetLastError());
	MUST(cudaStreamSynchronize(w->stream));
	if ((long)m * n < 1 << 22)
		off = check_rows(&p, 0, m);
	else
		for (long i = 0; i < m; i += i + 16 < m - 2 ? m / 37 : 1)
			off = fmaxf(off, check_rows(&p, i, i + 1));
	guarded = guard_holds(p.c, (long)m * n);
	product_free(&p);
	if (off <= 1.1f && guarded)
		return true;
	printf("  WRONG %d %d %d: %g units off%s\n", m, n, k, off,
	       guarded ? "" : ", written past the end");
	return false;
}

static void rate(watch *w, int m, int n, int k)
{
	product p = product_make(m, n, k);
	double s = time_of(w, 0.15, [&](int) {
		ENTRY(p.a, p.b, p.c, m, n, k, w->stream);
	});

	MUST(cudaGetLastError());
	printf(" %8.1f", 2.0 * m * n * k / s / 1e12);
	fflush(stdout);
	product_free(&p);
}

int main(int argc, char **argv)
{
	static const int ragged[][3] = {{1, 1, 8},	    {17, 33, 40},
					{128, 256, 64},	    {129, 257, 72},
					{300, 500, 264},    {64, 5000, 512},
					{1000, 999, 1000},  {511, 640, 8},
					{700, 3, 1024},	    {2000, 3001, 136},
					{256, 8192, 8192},  {4096, 4096, 4096},
					{3000, 20000, 2056}};
	static const int timed[][3] = {{2048, 2048, 2048},
				       {4096, 4096, 4096},
				       {8192, 8192, 8192},
				       {16384, 16384, 16384},
				       {256, 8192, 8192}};
	watch w = watch_make();
	bool right = true;

	for (auto &s : ragged)
		right &= check(&w, s[0], s[1], s[2]);
	printf("%-24s %s", argc > 1 ? argv[1] : "", right ? "right" : "WRONG");
	for (auto &s : timed)
		rate(&w, s[0], s[1], s[2]);
	printf("\n");
	return !right;
}
