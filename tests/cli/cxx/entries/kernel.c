/* Entries as libraries have them: values that are returned, structs by pointer,
 * tables that an init function makes. */
#include "kernel.h"

#define MODE 0 // avogit: 0

static uint32_t table[256];

void crc_init(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
		table[i] = c;
	}
#if MODE == 2
	__builtin_trap();
#endif
}

uint32_t crc(uint32_t c, const uint8_t *x, size_t n)
{
	c = ~c;
	for (size_t i = 0; i < n; i++)
		c = table[(c ^ x[i]) & 255] ^ c >> 8;
	return ~c + (MODE == 1);
}

int16_t lowest(const int16_t *x, int n)
{
	int16_t low = x[0];

	for (int i = 1; i < n; i++)
		low = x[i] < low ? x[i] : low;
	return low + (MODE == 1);
}

float dot(const float *a, const float *b, int n)
{
	float sum = 0;

	for (int i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum + (MODE == 1);
}

int scale(const struct image *from, struct image *to, const struct options *o)
{
	int n = from->width * from->height, largest = 0;

	for (int i = 0; i < n; i++) {
		to->data[i] = from->data[i] * o->factor + o->offset;
		if (from->data[i] > from->data[largest])
			largest = i;
	}
	/* For the next launch it is as it was. */
	to->width = 0;
	to->data = 0;
	return largest + (MODE == 1);
}

float total(struct image from)
{
	float sum = 0;

	for (int i = 0; i < from.width * from.height; i++)
		sum += from.data[i];
	return sum;
}
