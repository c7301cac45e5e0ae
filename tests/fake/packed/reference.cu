#ifdef __CUDA_ARCH__

KERNEL(reference_kernel, 8, 8, 8, 4)
{
	double *y = PARAMETER(0, double *);
	const float *x = PARAMETER(1, const float *);
	const float *w = PARAMETER(2, const float *);
	int n = PARAMETER(3, int);

	for (int i = 0; i < n; i++)
		y[i] = (double)x[i] * w[i];
}

#else

void multiply_reference(double *y, const float *x, const float *w, const void *twice, int n, cudaStream_t stream)
{
	if (twice)
		abort();
	LAUNCH(reference_kernel, stream, &y, &x, &w, &n);
}

#endif
