#include "kernel.h"

uint32_t crc_right(uint32_t c, const uint8_t *x, size_t n)
{
	c = ~c;
	for (size_t i = 0; i < n; i++) {
		c ^= x[i];
		for (int k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
	}
	return ~c;
}

int16_t lowest_right(const int16_t *x, int n)
{
	int16_t low = x[0];

	for (int i = 1; i < n; i++)
		low = x[i] < low ? x[i] : low;
	return low;
}

double dot_right(const float *a, const float *b, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += (double)a[i] * b[i];
	return sum;
}

float dot_plain(const float *a, const float *b, int n)
{
	float sum = 0;

	for (int i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

struct wide_image {
	double *data;
	int width, height;
};

int scale_right(const struct image *from, struct wide_image *to,
		const struct options *o)
{
	int n = from->width * from->height, largest = 0;

	for (int i = 0; i < n; i++) {
		to->data[i] = from->data[i] * o->factor + o->offset;
		if (from->data[i] > from->data[largest])
			largest = i;
	}
	return largest;
}

double total_right(struct image from)
{
	double sum = 0;

	for (int i = 0; i < from.width * from.height; i++)
		sum += from.data[i];
	return sum;
}

/* One low value somewhere, another for every seed. */
void valleys(int16_t *x, uint64_t seed, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		x[i] = (int16_t)(i % 977);
	seed = seed * 6364136223846793005u + 1;
	x[seed >> 33 & 8191] = (int16_t)-(int)(seed >> 50 & 8191);
}
