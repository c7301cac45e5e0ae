#include <stdint.h>
#include <stdlib.h>

void sad_reference(const uint8_t *x, const uint8_t *y, int32_t *out, int n)
{
	for (int b = 0; b < n; b++) {
		int64_t sum = 0;

		for (int i = 0; i < 256; i++)
			sum += labs((long)x[256 * b + i] - y[256 * b + i]);
		out[b] = (int32_t)sum;
	}
}
