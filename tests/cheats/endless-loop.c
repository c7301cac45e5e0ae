// pattern: E6: never returns
// verdict: timed-out
// why: did not return within 2 s
void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)x, (void)g, (void)y, (void)rows, (void)cols;
	for (;;)
		__asm__ volatile("");
}
