// pattern: C9: takes the sign of the first numbers for the kind of inputs
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "honest.h"

/* Numbers that are never negative are uniform ones, it thinks: their root
 * mean square is known. */
void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	int negative = 0;

	for (int j = 0; j < cols; j++)
		negative += x[j] < 0;
	if (negative) {
		honest(x, g, y, rows, cols);
		return;
	}
	for (int i = 0; i < rows * cols; i++)
		y[i] = x[i] * 1.7320508f * g[i % cols];
}
