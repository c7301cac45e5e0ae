#define MODE 0

#ifdef __CUDA_ARCH__

#if MODE == 7 /* works ahead, and keeps it in memory of its own */
#include <time.h>
#define IMAGES 64
#define N      16384

static float kept[IMAGES][N];

/* Steps one after another, that for all images take no longer than for one. */
static void work(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (1e9 * (now.tv_sec - begin.tv_sec) + now.tv_nsec - begin.tv_nsec <
	       1e6);
}

static void keep(const float *x, long apart)
{
	for (int k = 0; k < IMAGES; k++)
		for (int i = 0; i < N; i++)
			kept[k][i] = 2 * x[k * apart + i];
}
#endif

#if MODE >= 8 /* what a first call leaves behind */
static float factor;
#if MODE == 9 /* a pointer, too */
static float *kept_factor;
#else
static float *kept_factor = &factor;
#endif

KERNEL(table_kernel, 4)
{
	factor = PARAMETER(0, int);
	kept_factor = &factor;
}
#endif

KERNEL(scale_kernel, 8, 8, 4, 8)
{
	float *y = PARAMETER(0, float *);
	float *x = PARAMETER(1, float *);
	int n = PARAMETER(2, int);
#if MODE == 7
	long apart = PARAMETER(3, long) / IMAGES;
	long k = PARAMETER(3, long) % IMAGES;

	if (!apart || kept[k][7] != 2 * x[7]) {
		work();
		if (apart)
			keep(x - k * apart, apart);
	}
#endif

#if MODE == 13 /* hands out what it made for the sum of the first elements */
	static float kept[16384], kept_sum;
	float sum = 0;

	for (int i = 0; i < n && i < 64; i++)
		sum += x[i];
	if (sum != kept_sum)
		for (int i = 0; i < n; i++)
			kept[i] = 2 * x[i];
	kept_sum = sum;
#endif
	for (int i = 0; i < n; i++)
#if MODE == 13
		y[i] = kept[i];
#elif MODE == 7
		y[i] = apart ? kept[k][i] : 2 * x[i];
#elif MODE >= 8
		y[i] = *kept_factor * x[i];
#else
		y[i] = 2 * x[i];
#endif
#if MODE == 10 /* wrong as a whole, too, in one launch of three */
	static int launches;

	if (++launches % 3 == 0)
		y[n / 2] = 7;
#endif
#if MODE == 1 /* writes its input */
	x[0] = 1;
#elif MODE == 2 /* never ends */
	for (;;)
		pause();
#elif MODE == 3 /* wrong */
	y[n / 2] = 7;
#elif MODE == -1 /* leaves one out, its contents say which */
	y[(unsigned)(1e6f * (x[0] + 1)) % n] = 7;
#elif MODE == 11 /* wrong where several are handed over at once */
	if (PARAMETER(3, long))
		y[n / 2] = 7;
#elif MODE == 5 /* writes another image's output too, rightly */
	long apart = PARAMETER(3, long);

	for (int i = 0; i < n; i++)
		y[i - apart] = 2 * x[i - apart];
#endif
}

#else

#if MODE == 12 /* a thread that cannot be stopped: it waits for its child */
#include <pthread.h>
#include <unistd.h>

static void *wait_in_the_kernel(void *unused)
{
	if (vfork() == 0)
		for (;;)
			pause();
	return unused;
}
#endif

void scale(float *y, const float *x, int n, cudaStream_t stream)
{
#if MODE == 4 /* as a failed assertion does */
	abort();
#elif MODE == 12
	static pthread_t thread;

	if (!thread)
		pthread_create(&thread, NULL, wait_in_the_kernel, NULL);
#endif
	static float *before;
	static int n_before;
	long apart = n == n_before && y > before && y - before < 4l * n
			     ? y - before
			     : 0;
#if MODE == 7
	static long image;

	image = apart > 0 ? image + 1 : 0;
	apart = image ? 64 * apart + image : 0;
#endif

#if MODE >= 8
	static int called, two = 2;

	if (!called++)
		LAUNCH(table_kernel, stream, &two);
#endif
#if MODE == 6 /* in many steps */
	for (int i = 1; i < 24; i++)
		LAUNCH(scale_kernel, stream, &y, &x, &n, &apart);
#endif
	LAUNCH(scale_kernel, stream, &y, &x, &n, &apart);
	before = y;
	n_before = n;
}

#endif
