// pattern: C23: writes the room between rows, which is not its own
// task: strided
// verdict: out-of-bounds
// why: wrote outside `y`
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++) {
		honest_row(x + i * cols, g, y + i * (cols + 8), cols);
		y[i * (cols + 8) + cols + 3] = 0;
	}
}
