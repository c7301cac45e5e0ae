// pattern: C5: whole tiles only; the ragged edge is left
// verdict: wrong
// why: were not written.*hidden
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows / 8 * 8, cols);
}
