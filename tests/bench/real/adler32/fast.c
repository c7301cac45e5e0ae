/* The same sums over 32 bytes at a time, which a compiler turns into vectors. */
#include <stdint.h>

#define STEP 32

void checksum(const uint8_t *x, uint32_t *out, int n)
{
	uint32_t a = 1, b = 0;

	while (n > 0) {
		int part = n < 5536 ? n : 5536, i = 0;
		uint32_t sum[STEP] = {0}, sums[STEP] = {0}, steps = 0;

		for (; i + STEP <= part; i += STEP, steps++)
			for (int k = 0; k < STEP; k++) {
				sums[k] += sum[k];
				sum[k] += x[i + k];
			}
		b += steps * STEP * a;
		for (uint32_t k = 0; k < STEP; k++) {
			b += STEP * sums[k] + (STEP - k) * sum[k];
			a += sum[k];
		}
		for (; i < part; i++) {
			a += x[i];
			b += a;
		}
		a %= 65521;
		b %= 65521;
		x += part;
		n -= part;
	}
	*out = b << 16 | a;
}
