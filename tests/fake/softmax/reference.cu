#ifdef __CUDA_ARCH__

#include "include/exponential.h"

KERNEL(reference_kernel, 8, 8, 4, 4)
{
	double *y = PARAMETER(0, double *);
	const float *x = PARAMETER(1, const float *);
	int rows = PARAMETER(2, int), cols = PARAMETER(3, int);

	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		double max = x[0], sum = 0;

		for (int j = 1; j < cols; j++)
			max = x[j] > max ? x[j] : max;
		for (int j = 0; j < cols; j++)
			sum += exponential((float)(x[j] - max));
		for (int j = 0; j < cols; j++)
			y[j] = exponential((float)(x[j] - max)) / sum;
	}
}

#else

void softmax_reference(double *y, const float *x, int rows, int cols, cudaStream_t stream)
{
	LAUNCH(reference_kernel, stream, &y, &x, &rows, &cols);
}

#endif
