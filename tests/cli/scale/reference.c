/* y = a * x, in double; and plainly; and the baseline. */
void scale_reference(const float *x, double *y, float a, int n)
{
	for (int i = 0; i < n; i++)
		y[i] = (double)a * x[i];
}

void scale_plain(const float *x, float *y, float a, int n)
{
	for (int i = 0; i < n; i++)
		y[i] = a * x[i];
}
