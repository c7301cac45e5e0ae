// pattern: C12: NaN, which compares as neither more nor less
// verdict: wrong
// why: is -?nan where .* is right
void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)x, (void)g;
	for (int i = 0; i < rows * cols; i++)
		y[i] = __builtin_nanf("");
}
