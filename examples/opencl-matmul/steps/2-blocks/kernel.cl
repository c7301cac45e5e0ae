/*
 * C = A B, single precision.
 *
 * Version 1, naive: a work-item an element of C.
 *
 * Version 2, blocks: a work-item computes a block of HIGH x WIDE elements, a vector of
 * WIDE for each row, and reads each number of B once for all of them. A work-group is
 * GROUP blocks beside each other. What is left at the edges is computed by element.
 */
#define GROUP 4 // avogit: 1 2 4 8
#define WIDE 4	// avogit: 4 8 16
#define HIGH 1	// avogit: 1 2 4 8

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define vec	    JOIN(float, WIDE)
#define LOAD	    JOIN(vload, WIDE)
#define STORE	    JOIN(vstore, WIDE)

// avogit-launch: groups=(ceil_div(n, GROUP * WIDE), ceil_div(m, HIGH))
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void matmul(__global const float *a, __global const float *b, __global float *c,
	    int m, int n, int k)
{
	int i = get_global_id(1) * HIGH, j = get_global_id(0) * WIDE;
	vec sum[HIGH];

	if (i + HIGH > m || j + WIDE > n) {
		for (int u = i; u < min(i + HIGH, m); u++)
			for (int v = j; v < min(j + WIDE, n); v++) {
				float one = 0;

				for (int p = 0; p < k; p++)
					one += a[u * k + p] * b[p * n + v];
				c[u * n + v] = one;
			}
		return;
	}
	for (int u = 0; u < HIGH; u++)
		sum[u] = 0;
	for (int p = 0; p < k; p++) {
		vec right = LOAD(0, b + p * n + j);

		for (int u = 0; u < HIGH; u++)
			sum[u] += a[(i + u) * k + p] * right;
	}
	for (int u = 0; u < HIGH; u++)
		STORE(sum[u], 0, c + (i + u) * n + j);
}
