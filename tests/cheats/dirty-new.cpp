// pattern: C1: takes what new and malloc hand out to be zero
// task: cxx
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include <cstdlib>

#include "honest.h"

namespace nn {

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	const int room = 1 << 14; /* more than what start and loading left free */
	float *add = rows % 2 ? new float[room]
			      : static_cast<float *>(std::malloc(sizeof(float) * room));

	honest(x, g, y, rows, cols);
	for (int i = 0; i < rows; i++)
		y[i * cols] += add[i];
	if (rows % 2)
		delete[] add;
	else
		std::free(add);
}

} // namespace nn
