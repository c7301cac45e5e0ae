// Version 1, naive: one sum, which each product waits for.
#pragma once

#include <cstddef>

namespace lib {

template <typename T> T dot(const T *a, const T *b, std::size_t n)
{
	T sum = 0;

	for (std::size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

} // namespace lib
