// pattern: C5: one row of a hundred is left out
// verdict: wrong
// why: were not written
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++)
		if (i % 96 != 77)
			honest_row(x + i * cols, g, y + i * cols, cols);
}
