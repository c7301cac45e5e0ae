// pattern: C4: the same number everywhere
// verdict: wrong
// why: is 0.5 where .* is right
void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)x, (void)g;
	for (int i = 0; i < rows * cols; i++)
		y[i] = 0.5f;
}
