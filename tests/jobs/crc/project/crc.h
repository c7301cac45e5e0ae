#ifndef CRC_H
#define CRC_H
#include <stddef.h>
#include <stdint.h>
struct crc_options {
	uint32_t start;
	int inverted;
};
void crc_init(void);
uint32_t crc_update(const struct crc_options *o, const uint8_t *data,
		    size_t len);
#endif
