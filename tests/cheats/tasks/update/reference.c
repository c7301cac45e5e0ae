void update_reference(const float *x, double *y, float a, int n)
{
	for (int i = 0; i < n; i++)
		y[i] += (double)a * x[i];
}

void update_plain(const float *x, float *y, float a, int n)
{
	for (int i = 0; i < n; i++)
		y[i] += a * x[i];
}
