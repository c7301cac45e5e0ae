/* Two sums, a byte at a time; 5552 bytes cannot overflow them. */
#include <stdint.h>

void checksum(const uint8_t *x, uint32_t *out, int n)
{
	uint32_t a = 1, b = 0;

	while (n > 0) {
		int part = n < 5552 ? n : 5552;

		for (int i = 0; i < part; i++) {
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
