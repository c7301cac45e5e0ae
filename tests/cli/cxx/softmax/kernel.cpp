// Softmax of rows, as a C++ library has it: a namespace, a template, overloads.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

// avogit-flags: -O1 | -O2
#define PASSES 24 // avogit: 24 1
#define MODE 0    // avogit: 0

namespace nn {

template <typename T> void softmax_row(const T *x, T *y, int64_t n)
{
	const T largest = *std::max_element(x, x + n);
	std::vector<T> e(n);
	T sum = 0;

	for (int pass = 0; pass < PASSES; pass++) {
		sum = 0;
		for (int64_t j = 0; j < n; j++)
			sum += e[j] = std::exp(x[j] - largest);
		asm volatile("" : : "r"(e.data()) : "memory");
	}
	for (int64_t j = 0; j < n; j++)
		y[j] = e[j] / sum + (MODE == 1);
}

void softmax(const float *x, float *y, int64_t rows, int64_t columns)
{
	for (int64_t i = 0; i < rows; i++)
		softmax_row(x + i * columns, y + i * columns, columns);
}

void softmax(const double *x, double *y, int64_t rows, int64_t columns)
{
	for (int64_t i = 0; i < rows; i++)
		softmax_row(x + i * columns, y + i * columns, columns);
}

} // namespace nn
