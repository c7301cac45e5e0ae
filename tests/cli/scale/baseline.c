/* What somebody wrote before: y = a * x, five hundred times over. */
void scale_naive(const float *x, float *y, float a, int n)
{
	for (int round = 0; round < 500; round++) {
		for (int i = 0; i < n; i++)
			y[i] = a * x[i];
		__asm__ volatile("" ::: "memory");
	}
}
