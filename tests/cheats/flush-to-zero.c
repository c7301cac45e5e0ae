// pattern: C24: leaves numbers below the normal range flushed to zero
// task: tiny
// verdict: wrong
// why: y\[[0-9,]*\] is -?0 where .* is right
__attribute__((constructor)) static void flush(void)
{
	unsigned control;

	__asm__ volatile("stmxcsr %0" : "=m"(control));
	control |= 0x8040;
	__asm__ volatile("ldmxcsr %0" : : "m"(control));
}

void halve(const float *x, float *y, int n)
{
	for (int i = 0; i < n; i++)
		y[i] = 0.5f * x[i];
}
