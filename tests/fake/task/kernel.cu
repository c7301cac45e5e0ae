#define MODE 0

#ifdef __CUDA_ARCH__

KERNEL(scale_kernel, 8, 8, 4, 8)
{
	float *y = PARAMETER(0, float *);
	float *x = PARAMETER(1, float *);
	int n = PARAMETER(2, int);

	for (int i = 0; i < n; i++)
		y[i] = 2 * x[i];
#if MODE == 1 /* writes its input */
	x[0] = 1;
#elif MODE == 2 /* never ends */
	for (;;)
		pause();
#elif MODE == 3 /* wrong */
	y[n / 2] = 7;
#elif MODE == 5 /* writes another image's output too, rightly */
	long apart = PARAMETER(3, long);

	for (int i = 0; i < n; i++)
		y[i - apart] = 2 * x[i - apart];
#endif
}

#else

void scale(float *y, const float *x, int n, cudaStream_t stream)
{
#if MODE == 4 /* as a failed assertion does */
	abort();
#endif
	static float *before;
	static int n_before;
	long apart = n == n_before && y - before < 4l * n ? y - before : 0;

	LAUNCH(scale_kernel, stream, &y, &x, &n, &apart);
	before = y;
	n_before = n;
}

#endif
