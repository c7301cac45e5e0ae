// pattern: none: an honest kernel that leaves its threads to OpenMP
// task: openmp
// verdict: pass
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
#pragma omp parallel for
	for (int i = 0; i < rows; i++)
		honest_row(x + (long)i * cols, g, y + (long)i * cols, cols);
}
