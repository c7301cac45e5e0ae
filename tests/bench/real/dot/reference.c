void dot_reference(const float *x, const float *y, double *out, int n)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += (double)x[i] * (double)y[i];
	*out = s;
}
