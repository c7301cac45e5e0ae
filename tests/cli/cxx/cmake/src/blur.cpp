#include "geo/image.hpp"

#define ROUNDS 32 // avogit: 32 1

namespace geo {

void blur(const View<const float> &from, const View<float> &to)
{
	for (int round = 0; round < ROUNDS; round++)
		for (int y = 0; y < to.height; y++)
			for (int x = 0; x < to.width; x++) {
				int left = x ? x - 1 : x;
				int right = x + 1 < to.width ? x + 1 : x;

				to.at(x, y) = weight(1) * from.at(left, y) +
					      weight(0) * from.at(x, y) +
					      weight(1) * from.at(right, y);
			}
}

void blur(const float *from, float *to, int width, int height)
{
	blur(View<const float>{from, width, height},
	     View<float>{to, width, height});
}

} // namespace geo
