/*
 * What is right: C = A B in double precision, for rows [row_begin, row_end)
 * of C. `matmul_plain` is the same done plainly in the kernel's own
 * precision: how far it is off says how far a kernel may be.
 */
#include <stdint.h>

void matmul_reference(const float *a, const float *b, double *c, int m, int n,
		      int k, int64_t row_begin, int64_t row_end)
{
	(void)m;
	for (int64_t i = row_begin; i < row_end; i++) {
		double *restrict row = c + i * n;

		for (int j = 0; j < n; j++)
			row[j] = 0;
		for (int p = 0; p < k; p++) {
			const float *restrict from = b + (int64_t)p * n;
			double x = a[i * k + p];

			for (int j = 0; j < n; j++)
				row[j] += x * (double)from[j];
		}
	}
}

void matmul_plain(const float *a, const float *b, float *c, int m, int n, int k,
		  int64_t row_begin, int64_t row_end)
{
	(void)m;
	for (int64_t i = row_begin; i < row_end; i++) {
		float *restrict row = c + i * n;

		for (int j = 0; j < n; j++)
			row[j] = 0;
		for (int p = 0; p < k; p++) {
			const float *restrict from = b + (int64_t)p * n;
			float x = a[i * k + p];

			for (int j = 0; j < n; j++)
				row[j] += x * from[j];
		}
	}
}
