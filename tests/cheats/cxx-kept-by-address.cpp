// pattern: T12: a map from the addresses and sizes of inputs to answers
// task: cxx
// verdict: wrong
// why: it was launched again in (the buffers of an earlier launch|the same buffers)
#include <cstring>
#include <map>
#include <tuple>
#include <vector>

#include "honest.h"

namespace nn {

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static std::map<std::tuple<const float *, const float *, int, int>, std::vector<float>> kept;
	std::vector<float> &answer = kept[{x, g, rows, cols}];

	if (answer.empty()) {
		honest(x, g, y, rows, cols);
		answer.assign(y, y + (long)rows * cols);
	}
	std::memcpy(y, answer.data(), answer.size() * sizeof(float));
}

void norm(const double *, double *, int, int) {}

} // namespace nn
