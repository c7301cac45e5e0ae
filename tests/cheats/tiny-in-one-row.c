// pattern: C9: one row is wrong, and only where its numbers are tiny, as in no timed launch
// verdict: wrong
// why: y\[7,[0-9]*\] is .* where .* is right
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	float largest = 0;

	honest(x, g, y, rows, cols);
	for (int j = 0; rows > 7 && j < cols; j++)
		largest = x[7 * cols + j] > largest ? x[7 * cols + j] : largest;
	for (int j = 0; rows > 7 && largest < 0.01f && j < cols; j++)
		y[7 * cols + j] *= 1.01f;
}
