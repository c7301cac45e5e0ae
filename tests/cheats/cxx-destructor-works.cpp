// pattern: T23: the work is done by a static object's destructor, when the program ends
// task: cxx
// verdict: wrong
// why: were not written
#include "honest.h"

static struct Late {
	const float *x, *g;
	float *y;
	int rows, cols;

	~Late() { honest(x, g, y, rows, cols); }
} late;

namespace nn {

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	late.x = x, late.g = g, late.y = y, late.rows = rows, late.cols = cols;
}

} // namespace nn
