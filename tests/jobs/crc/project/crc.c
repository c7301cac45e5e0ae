#include "crc_config.h"
#include "crc.h"

static uint32_t table[256];

/* Once, before any other call. */
void crc_init(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int k = 0; k < 8; k++)
			c = c & 1 ? CRC_POLYNOMIAL ^ (c >> 1) : c >> 1;
		table[i] = c;
	}
}

#define TURNS 80

uint32_t crc_update(const struct crc_options *o, const uint8_t *data,
		    size_t len)
{
	uint32_t c = ~o->start, before;

	for (size_t i = 0; i < len; i++) {
		before = c;
		for (int turn = 0; turn < TURNS; turn++) {
			c = table[(before ^ data[i]) & 0xff] ^ (before >> 8);
			__asm__ volatile("" : "+r"(before), "+r"(c));
		}
	}
	return o->inverted ? ~c : c;
}
