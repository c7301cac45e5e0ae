#include <stdint.h>

void checksum_reference(const uint8_t *x, uint32_t *out, int n)
{
	uint64_t a = 1, b = 0;

	for (int i = 0; i < n; i++) {
		a = (a + x[i]) % 65521;
		b = (b + a) % 65521;
	}
	*out = (uint32_t)(b << 16 | a);
}
