#include <stdint.h>

/* So that a launch is a small part of what all of it takes to check. */
#define AGAIN 100

/* Equal segments, but for one that holds half of all. */
void segments_begin(int32_t *from, uint64_t seed, int64_t rows, int64_t total)
{
	int64_t heavy = (int64_t)(seed >> 8) & INT32_MAX, at = 0;

	heavy %= rows;
	for (int64_t i = 0; i < rows; i++) {
		from[i] = (int32_t)at;
		at += i == heavy ? total / 2 : total / 2 / rows;
	}
	from[rows] = (int32_t)at;
}

void segments_reference(const int32_t *from, const float *x, double *y, int rows, int64_t begin, int64_t end)
{
	(void)rows;
	for (volatile int again = 0; again < AGAIN; again++)
		for (int64_t i = begin; i < end; i++)
			for (int c = 0; c < 64; c++) {
				double sum = 0;

				for (long k = from[i]; k < from[i + 1]; k++)
					sum += x[k * 64 + c];
				y[i * 64 + c] = sum;
			}
}

void segments_plain(const int32_t *from, const float *x, float *y, int rows, int64_t begin, int64_t end)
{
	(void)rows;
	for (int64_t i = begin; i < end; i++)
		for (int c = 0; c < 64; c++) {
			float sum = 0;

			for (long k = from[i]; k < from[i + 1]; k++)
				sum += x[k * 64 + c];
			y[i * 64 + c] = sum;
		}
}
