void weights_reference(const float *w, const float *x, double *y, const float *ahead, int n)
{
	(void)ahead;
	for (int i = 0; i < n; i++)
		y[i] = ((double)w[i] + 1) * x[i];
}

void weights_plain(const float *w, const float *x, float *y, const float *ahead, int n)
{
	(void)ahead;
	for (int i = 0; i < n; i++)
		y[i] = (w[i] + 1) * x[i];
}
