// About normal contents, as the judge's: how much a product takes of the card's
// power depends on them.
#pragma once

template <typename T> static __global__ void fill(T *x, long n, unsigned seed)
{
	for (long i = blockIdx.x * 256l + threadIdx.x; i < n; i += gridDim.x * 256l) {
		unsigned h = (unsigned)i * 2654435761u ^ seed, sum = 0;

		for (int k = 0; k < 4; k++) {
			h = (h ^ h >> 15) * 2246822519u;
			h ^= h >> 13;
			sum += h & 0xffff;
		}
		x[i] = (T)(((float)(int)sum - 131070) / 37837.22f);
	}
}
