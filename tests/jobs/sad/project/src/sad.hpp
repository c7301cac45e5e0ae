#ifndef SAD_HPP
#define SAD_HPP
#include <cstdint>
#include <cstdlib>

namespace codec {

#define SAD_TIMES 80

/* The sum of absolute differences of two blocks. */
template <int W, int H, typename Pixel>
int32_t sad(const Pixel *a, int32_t stride_a, const Pixel *b, int32_t stride_b)
{
	int32_t sum = 0;

	for (int i = 0; i < H; i++)
		for (int j = 0; j < W; j++)
			sum += std::abs(a[i * stride_a + j] - b[i * stride_b + j]);
	return sum;
}

/* Of every block of 16 x 16 in a picture, against the one that was there. */
void sad_picture(const uint8_t *now, const uint8_t *before, int32_t *sad, int32_t columns, int32_t rows);
void sad_picture(const uint16_t *now, const uint16_t *before, int32_t *sad, int32_t columns, int32_t rows);

}
#endif
