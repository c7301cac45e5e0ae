// pattern: none: an honest kernel that keeps weights which it makes of the sizes
// verdict: pass
#include <stdlib.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static float *one;
	static int n;

	if (cols != n) {
		free(one);
		one = malloc(sizeof *one * (unsigned)cols);
		for (int j = 0; j < cols; j++)
			one[j] = honest_root((float)cols) / honest_root((float)cols);
		n = cols;
	}
	honest(x, g, y, rows, cols);
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < cols; j++)
			y[i * cols + j] *= one[j];
}
