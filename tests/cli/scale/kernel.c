/* y = a * x, slowly: ROUNDS, squared, is how slow, MODE what goes wrong. */
#define ROUNDS 64 // avogit: 64 16 4 1
#define MODE 0    // avogit: 0

void scale(const float *x, float *y, float a, int n)
{
	for (int round = 0; round < (ROUNDS * ROUNDS + 1) / 2; round++) {
		for (int i = 0; i < n; i++)
			y[i] = a * x[i];
		__asm__ volatile("" ::: "memory");
	}
#if MODE == 1
	y[n / 2] = 1000;
#elif MODE == 2
	*(volatile int *)8 = 1;
#elif MODE == 3
	for (;;)
		__asm__ volatile("");
#elif MODE == 4
	this does not compile;
#elif MODE == 5
	((volatile float *)y)[-1] = 0;
#endif
}
