#include "core/base/crc32c.h"

#define CASTAGNOLI 0x82f63b78u /* the polynomial, its bits reversed */

uint32_t crc32c(const void *data, size_t len)
{
	const unsigned char *at = data;
	uint32_t crc = ~0u;

	for (size_t i = 0; i < len; i++) {
		crc ^= at[i];
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (crc & 1 ? CASTAGNOLI : 0);
	}
	return ~crc;
}
