// pattern: C16: calls a library that nobody links
// verdict: build-failed
// why: undefined .*cblas_sscal
#include "honest.h"

void cblas_sscal(int n, float a, float *x, int step);

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
	cblas_sscal(rows * cols, 1, y, 1);
}
