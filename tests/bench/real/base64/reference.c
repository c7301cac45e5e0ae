#include <stdint.h>

static uint8_t letter(unsigned v)
{
	if (v < 26)
		return (uint8_t)('A' + v);
	if (v < 52)
		return (uint8_t)('a' + v - 26);
	if (v < 62)
		return (uint8_t)('0' + v - 52);
	return v == 62 ? '+' : '/';
}

void encode_reference(const uint8_t *x, uint8_t *out, int n)
{
	for (int i = 0; i < n; i++) {
		unsigned three =
			x[3 * i] * 65536u + x[3 * i + 1] * 256u + x[3 * i + 2];

		for (int k = 0; k < 4; k++)
			out[4 * i + k] = letter(three >> (18 - 6 * k) & 63);
	}
}
