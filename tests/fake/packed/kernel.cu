#define MODE 0

#ifdef __CUDA_ARCH__

KERNEL(pack_kernel, 8, 8, 8, 4)
{
	float *twice = PARAMETER(0, float *);
	const float *w = PARAMETER(1, const float *);
	float *x = PARAMETER(2, float *);
	int n = PARAMETER(3, int);

	for (int i = 0; i < n; i++)
		twice[i] = x ? x[i] * w[i] : 2 * w[i];
#if MODE == 3 /* writes an input */
	if (x)
		x[0] = 1;
#elif MODE == 4 /* never ends */
	for (;;)
		pause();
#endif
}

KERNEL(multiply_kernel, 8, 8, 8, 4)
{
	float *y = PARAMETER(0, float *);
	const float *x = PARAMETER(1, const float *);
	const float *twice = PARAMETER(2, const float *);
	int n = PARAMETER(3, int);

	for (int i = 0; i < n; i++)
		y[i] = MODE == 2 ? twice[i] : x[i] * twice[i] / 2;
}

#else

/* What calls before were given, which no prepare function is shown: once for
 * real, then for each image of a batch. */
static float *seen[128];
static int calls, prepares;

/* Those of other addresses are not there any more. */
static void forget(const float *w)
{
	static unsigned long place;
	unsigned long now = (unsigned long)w >> 25;

	if (now != place)
		calls = prepares = 0;
	place = now;
}

static float *remembered(void)
{
	int next = ++prepares < calls ? prepares : calls - 1;

	return next < 0 ? NULL : seen[next];
}

void pack(float *y, float *x, const float *w, float *twice, int n, cudaStream_t stream)
{
	if (x || y || !w || !twice)
		abort();
	forget(w);
#if MODE == 2 || MODE == 3
	x = remembered(); /* works with what it was not given */
#endif
#if MODE != 1 /* prepares nothing */
	LAUNCH(pack_kernel, stream, &twice, &w, &x, &n);
#endif
}

void multiply(float *y, float *x, const float *w, const float *twice, int n, cudaStream_t stream)
{
	if (prepares > 0)
		calls = 0;
	prepares = 0;
	seen[calls++ % 128] = x;
	LAUNCH(multiply_kernel, stream, &y, &x, &twice, &n);
}

#endif
