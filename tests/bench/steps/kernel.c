void steps(const float *x, float *y, float a, int n)
{
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < n; i++)
			y[i] = a * x[i];
		__asm__ volatile("" ::: "memory");
	}
}
