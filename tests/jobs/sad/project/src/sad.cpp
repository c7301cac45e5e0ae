#include "sad.hpp"

namespace codec {
namespace {

template <typename Pixel>
void all_blocks(const Pixel *now, const Pixel *before, int32_t *to, int32_t columns, int32_t rows)
{
	const int32_t stride = 16 * columns;

	for (int32_t i = 0; i < rows; i++)
		for (int32_t j = 0; j < columns; j++)
			for (int times = 0; times < SAD_TIMES; times++) {
				to[i * columns + j] = sad<16, 16>(&now[16 * (i * stride + j)], stride,
								  &before[16 * (i * stride + j)], stride);
				__asm__ volatile("" : : : "memory");
			}
}

}

void sad_picture(const uint8_t *now, const uint8_t *before, int32_t *sad, int32_t columns, int32_t rows)
{
	all_blocks(now, before, sad, columns, rows);
}

void sad_picture(const uint16_t *now, const uint16_t *before, int32_t *sad, int32_t columns, int32_t rows)
{
	all_blocks(now, before, sad, columns, rows);
}

}
