// pattern: none: an honest kernel that leaves the room between rows alone
// task: strided
// verdict: pass
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++)
		honest_row(x + i * cols, g, y + i * (cols + 8), cols);
}
