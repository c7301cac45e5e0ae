/*
 * C = A B, single precision.
 *
 * Version 1, naive: a work-item an element of C.
 */
#define SIDE 8

// avogit-launch: groups=(ceil_div(n, SIDE), ceil_div(m, SIDE))
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void matmul(__global const float *a, __global const float *b, __global float *c,
	    int m, int n, int k)
{
	int i = get_global_id(1), j = get_global_id(0);
	float sum = 0;

	if (i >= m || j >= n)
		return;
	for (int p = 0; p < k; p++)
		sum += a[i * k + p] * b[p * n + j];
	c[i * n + j] = sum;
}
