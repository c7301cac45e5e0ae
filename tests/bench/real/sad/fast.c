/* The same eight pixels at a time, in lanes of 16 bits of a plain word. */
#include <stdint.h>
#include <string.h>

#define LOW  UINT64_C(0x00ff00ff00ff00ff)
#define ONES UINT64_C(0x0001000100010001)

static uint64_t differences(uint64_t x, uint64_t y)
{
	uint64_t over = x + (ONES << 8) - y;
	uint64_t less = ((over >> 8 & ONES) ^ ONES) * 0xff;

	return ((over & LOW) ^ less) + (less & ONES);
}

__attribute__((optimize("no-tree-vectorize"))) void sad(const uint8_t *x,
							const uint8_t *y,
							int32_t *out, int n)
{
	for (int b = 0; b < n; b++, x += 256, y += 256) {
		uint64_t sum = 0;

		for (int i = 0; i < 256; i += 8) {
			uint64_t p, q;

			memcpy(&p, x + i, 8);
			memcpy(&q, y + i, 8);
			sum += differences(p & LOW, q & LOW);
			sum += differences(p >> 8 & LOW, q >> 8 & LOW);
		}
		out[b] = (int32_t)((sum & 0xffff) + (sum >> 16 & 0xffff) +
				   (sum >> 32 & 0xffff) + (sum >> 48));
	}
}
