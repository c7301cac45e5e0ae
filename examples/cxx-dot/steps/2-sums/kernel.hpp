// Version 1, naive: one sum, which each product waits for.
//
// Version 2, chains: WIDTH sums that do not wait for each other, which the
// compiler puts into vectors.
#pragma once

#include <cstddef>

// avogit-flags: -O3 | -O3 -funroll-loops
#define WIDTH 8 // avogit: 4 8 16 32 64 128

namespace lib {

template <typename T> T dot(const T *a, const T *b, std::size_t n)
{
	T part[WIDTH] = {}, sum = 0;
	std::size_t i = 0;

	for (; i + WIDTH <= n; i += WIDTH)
		for (std::size_t k = 0; k < WIDTH; k++)
			part[k] += a[i + k] * b[i + k];
	for (; i < n; i++)
		sum += a[i] * b[i];
	for (std::size_t k = 0; k < WIDTH; k++)
		sum += part[k];
	return sum;
}

} // namespace lib
