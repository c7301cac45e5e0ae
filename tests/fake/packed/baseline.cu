#ifdef __CUDA_ARCH__

KERNEL(pack_kernel, 8, 8, 4)
{
	float *twice = PARAMETER(0, float *);
	const float *w = PARAMETER(1, const float *);
	int n = PARAMETER(2, int);

	for (int i = 0; i < n; i++)
		twice[i] = 2 * w[i];
}

KERNEL(multiply_kernel, 8, 8, 8, 4)
{
	float *y = PARAMETER(0, float *);
	const float *x = PARAMETER(1, const float *);
	const float *twice = PARAMETER(2, const float *);
	int n = PARAMETER(3, int);

	for (int i = 0; i < n; i++)
		y[i] = x[i] * twice[i] / 2;
}

#else

void pack_baseline(float *y, const float *x, const float *w, float *twice, int n, cudaStream_t stream)
{
	LAUNCH(pack_kernel, stream, &twice, &w, &n);
}

void multiply_baseline(float *y, const float *x, const float *w, const float *twice, int n, cudaStream_t stream)
{
	LAUNCH(multiply_kernel, stream, &y, &x, &twice, &n);
}

#endif
