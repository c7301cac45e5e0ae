void pad_reference(const float *x, double *y, int rows)
{
	for (long i = 0; i < rows; i++)
		for (long j = 0; j < 4096; j++)
			y[i * 4096 + j] = j < 256 ? 2.0 * x[i * 256 + j] : 0;
}

void pad_plain(const float *x, float *y, int rows)
{
	for (long i = 0; i < rows; i++)
		for (long j = 0; j < 4096; j++)
			y[i * 4096 + j] = j < 256 ? 2 * x[i * 256 + j] : 0;
}
