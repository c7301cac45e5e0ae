#include <stdio.h>
#include "polybench.h"

#define TIMES 30

static void init_array(int ni, int nj, int nk,
		       DATA_TYPE POLYBENCH_2D(C, NI, NJ, ni, nj),
		       DATA_TYPE POLYBENCH_2D(A, NI, NK, ni, nk),
		       DATA_TYPE POLYBENCH_2D(B, NK, NJ, nk, nj))
{
	for (int i = 0; i < ni; i++)
		for (int j = 0; j < nj; j++)
			C[i][j] = (DATA_TYPE)((i * j + 1) % ni) / ni;
	for (int i = 0; i < ni; i++)
		for (int j = 0; j < nk; j++)
			A[i][j] = (DATA_TYPE)(i * (j + 1) % nk) / nk;
	for (int i = 0; i < nk; i++)
		for (int j = 0; j < nj; j++)
			B[i][j] = (DATA_TYPE)(i * (j + 2) % nj) / nj;
}

/* Main computational kernel. */
void kernel_gemm(int ni, int nj, int nk, DATA_TYPE alpha, DATA_TYPE beta,
		 DATA_TYPE POLYBENCH_2D(C, NI, NJ, ni, nj),
		 DATA_TYPE POLYBENCH_2D(A, NI, NK, ni, nk),
		 DATA_TYPE POLYBENCH_2D(B, NK, NJ, nk, nj))
{
	int i, j, k;

#pragma scop
	for (i = 0; i < _PB_NI; i++) {
		for (j = 0; j < _PB_NJ; j++)
			C[i][j] *= beta;
		for (k = 0; k < _PB_NK; k++) {
			for (int t = 1; t < TIMES; t++) {
				DATA_TYPE s = 0;

				for (j = 0; j < _PB_NJ; j++)
					s += alpha * A[i][k] * B[k][j];
				__asm__ volatile("" : : "m"(s));
			}
			for (j = 0; j < _PB_NJ; j++)
				C[i][j] += alpha * A[i][k] * B[k][j];
		}
	}
#pragma endscop
}

int main(int argc, char **argv)
{
	static DATA_TYPE a[NI][NK], b[NK][NJ], c[NI][NJ];
	DATA_TYPE sum = SCALAR_VAL(0.0);

	(void)argc, (void)argv;
	init_array(NI, NJ, NK, c, a, b);
	kernel_gemm(NI, NJ, NK, 1.5, 1.2, c, a, b);
	for (int i = 0; i < NI; i++)
		sum += c[i][i % NJ];
	printf("%.6f\n", (double)sum);
	return 0;
}
