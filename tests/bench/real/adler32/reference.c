#include <stdint.h>

/* Sums of 64 bits, which 65536 bytes cannot overflow. */
void checksum_reference(const uint8_t *x, uint32_t *out, int n)
{
	uint64_t a = 1, b = 0;

	for (int i = 0; i < n; i++) {
		a += x[i];
		b += a;
		if (i % 65536 == 65535) {
			a %= 65521;
			b %= 65521;
		}
	}
	*out = (uint32_t)(b % 65521 << 16 | a % 65521);
}
