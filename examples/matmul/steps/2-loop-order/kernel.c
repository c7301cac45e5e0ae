/*
 * Single-precision matrix product, C = A B, all row-major.
 *
 * Version 1, naive: the definition, three loops. The innermost one walks down
 * a column of B, a cache line for each element, and so waits for memory.
 *
 * Version 2, loop order: i-p-j, so that the innermost loop walks along a row
 * of B and a row of C, which the compiler turns into vectors. C is read and
 * written once for every p: the load and store ports are the limit now.
 */
void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
	for (int i = 0; i < m; i++) {
		float *restrict row = c + (long)i * n;

		for (int j = 0; j < n; j++)
			row[j] = 0;
		for (int p = 0; p < k; p++) {
			const float *restrict from = b + (long)p * n;
			float x = a[(long)i * k + p];

			for (int j = 0; j < n; j++)
				row[j] += x * from[j];
		}
	}
}
