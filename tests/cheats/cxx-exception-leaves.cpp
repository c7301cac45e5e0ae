// pattern: C17: an exception leaves the entry after half of the rows
// task: cxx
// verdict: crashed
// why: called abort\(\), as a C\+\+ program does for an exception that it does not catch
#include <stdexcept>

#include "honest.h"

namespace nn {

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows / 2, cols);
	throw std::runtime_error("the rest is left to the caller");
}

} // namespace nn
