// A layer norm of the examples by itself: right on ragged shapes, and how
// fast. KERNEL is the file; try.sh says how.
#include "try.h"
#include KERNEL

static __global__ void right_rows(const bf16 *x, const bf16 *gamma,
				  const bf16 *beta, float *y, int cols)
{
	__shared__ double sum, squares;
	const bf16 *in = x + (long)blockIdx.x * cols;
	double mine = 0, mean;

	if (threadIdx.x == 0)
		sum = squares = 0;
	__syncthreads();
	for (int j = threadIdx.x; j < cols; j += blockDim.x)
		mine += (double)__bfloat162float(in[j]);
	atomicAdd(&sum, mine);
	__syncthreads();
	mean = sum / cols;
	mine = 0;
	for (int j = threadIdx.x; j < cols; j += blockDim.x) {
		double d = (double)__bfloat162float(in[j]) - mean;

		mine += d * d;
	}
	atomicAdd(&squares, mine);
	__syncthreads();
	for (int j = threadIdx.x; j < cols; j += blockDim.x)
		y[(long)blockIdx.x * cols + j] =
			(float)(((double)__bfloat162float(in[j]) - mean) /
					sqrt(squares / cols + 1e-5) *
					(double)__bfloat162float(gamma[j]) +
				(double)__bfloat162float(beta[j]));
}

struct layer {
	bf16 *x, *gamma, *beta, *y;
};

static layer layer_make(int rows, int cols)
{
	layer l = {make((long)rows * cols), make(cols), make(cols),
		   make((long)rows * cols)};

	fill(l.x, (long)rows * cols, 1);
	fill(l.gamma, cols, 1ull << 40);
	fill(l.beta, cols, 1ull << 50);
	MUST(cudaDeviceSynchronize());
	return l;
}

static void layer_free(layer *l)
{
	cudaFree(l->x);
	cudaFree(l->gamma);
	cudaFree(l->beta);
	cudaFree(l->y);
}

static bool check(watch *w, int rows, int cols)
{
	layer l = layer_make(rows, cols);
	float *right, off;
	bool guarded;

	MUST(cudaMalloc(&right, (size_t)rows * cols * sizeof *right));
	layernorm(l.x, l.gamma, l.beta, l.y, rows, cols, 1e-5f, w->stream);
	MUST(cudaGetLastError());
	MUST(cudaStreamSynchronize(w->stream));
	right_rows<<<rows, 256>>>(l.x, l.gamma, l.beta, right, cols);
	MUST(cudaDeviceSynchronize());
	off = worst(l.y, right, cols, 0, rows, 0.05f);
	guarded = guard_holds(l.y, (long)rows * cols);
	cudaFree(right);
	layer_free(&l);
	if (off <= 1.1f && guarded)
		return true;
	printf("  WRONG %d %d: %g units off%s\n", rows, cols, off,
	       guarded ? "" : ", written past the end");
	return false;
}

// In turn on so many matrices that none is still in the cache.
#define TURNS 4

static void rate(watch *w, int rows, int cols)
{
	layer l[TURNS];
	double s;

	for (int i = 0; i < TURNS; i++)
		l[i] = layer_make(rows, cols);
	s = time_of(w, 0.1, [&](int i) {
		layer *p = &l[i % TURNS];

		layernorm(p->x, p->gamma, p->beta, p->y, rows, cols, 1e-5f,
			  w->stream);
	});
	MUST(cudaGetLastError());
	printf(" %8.0f", (4.0 * rows * cols + 4.0 * cols) / s / 1e9);
	fflush(stdout);
	for (int i = 0; i < TURNS; i++)
		layer_free(&l[i]);
}

int main(int argc, char **argv)
{
	static const int ragged[][2] = {{1, 2},	     {3, 8},	   {7, 33},
					{500, 1000}, {499, 1001},  {321, 4096},
					{100, 5000}, {1000, 8192}, {2500, 264},
					{33, 8999},  {50, 16384},  {40, 16392},
					{20, 40000}, {3000, 1024}};
	static const int timed[][2] = {
		{16384, 8192}, {8192, 4096}, {32768, 1024}};
	watch w = watch_make();
	bool right = true;

	for (auto &s : ragged)
		right &= check(&w, s[0], s[1]);
	printf("%-24s %s", argc > 1 ? argv[1] : "", right ? "right" : "WRONG");
	for (auto &s : timed)
		rate(&w, s[0], s[1]);
	printf("\n");
	return !right;
}
