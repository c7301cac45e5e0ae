#ifdef __CUDA_ARCH__

KERNEL(reference_kernel, 8, 8, 4)
{
	double *y = PARAMETER(0, double *);
	const float *x = PARAMETER(1, const float *);
	int n = PARAMETER(2, int);

	for (int i = 0; i < n; i++)
		y[i] = 2.0 * x[i];
}

#else

void scale_reference(double *y, const float *x, int n, cudaStream_t stream)
{
	LAUNCH(reference_kernel, stream, &y, &x, &n);
}

#endif
