/*
 * Single-precision matrix product, C = A B, all row-major.
 *
 * Version 1, naive: the definition, three loops. The innermost one walks down
 * a column of B, a cache line for each element, and so waits for memory.
 */
void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0;

			for (int p = 0; p < k; p++)
				sum += a[i * k + p] * b[p * n + j];
			c[i * n + j] = sum;
		}
}
