// pattern: E6: recursion without an end
// verdict: crashed
// why: SIGSEGV.*: the stack .[0-9]* MiB. overflowed
static int deeper(volatile int *depth)
{
	volatile char room[4096];

	room[0] = (char)++*depth;
	return deeper(depth) + room[0];
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	volatile int depth = 0;

	(void)x, (void)g, (void)rows, (void)cols;
	y[0] = (float)deeper(&depth);
}
