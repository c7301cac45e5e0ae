// pattern: C1: takes blocks of 2 and 12 MiB of new and malloc to be zero
// task: cxx
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include <cstdlib>

#include "honest.h"

namespace nn
{

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	const int room = rows % 3 ? 3 << 20 : 1 << 19;
	float *add = rows % 2 ? new float[room]
			      : static_cast<float *>(
					std::malloc(sizeof(float) * room));

	honest(x, g, y, rows, cols);
	for (int i = 0; i < rows; i++)
		y[i * cols] += add[room - 1 - i];
	if (rows % 2)
		delete[] add;
	else
		std::free(add);
}

} // namespace nn
