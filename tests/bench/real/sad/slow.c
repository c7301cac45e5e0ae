/* The sum of absolute differences of every block of 16 x 16 pixels, pixel by
 * pixel: what a video encoder looks for motion with. */
#include <stdint.h>

__attribute__((optimize("no-tree-vectorize"))) void sad(const uint8_t *x,
							const uint8_t *y,
							int32_t *out, int n)
{
	for (int b = 0; b < n; b++, x += 256, y += 256) {
		int32_t sum = 0;

		for (int i = 0; i < 256; i++)
			sum += x[i] > y[i] ? x[i] - y[i] : y[i] - x[i];
		out[b] = sum;
	}
}
