/*
 * What is right: softmax in double precision, for rows [row_begin, row_end).
 * `softmax_plain` is the same done plainly in single precision: how far it is
 * off says how far a kernel may be.
 */
#include <math.h>
#include <stdint.h>

void softmax_reference(const float *x, double *y, int rows, int columns,
		       int64_t row_begin, int64_t row_end)
{
	(void)rows;
	for (int64_t i = row_begin; i < row_end; i++) {
		const float *from = x + i * columns;
		double *to = y + i * columns;
		double largest = from[0], sum = 0;

		for (int j = 1; j < columns; j++)
			largest = fmax(largest, from[j]);
		for (int j = 0; j < columns; j++) {
			to[j] = exp((double)from[j] - largest);
			sum += to[j];
		}
		for (int j = 0; j < columns; j++)
			to[j] /= sum;
	}
}

void softmax_plain(const float *x, float *y, int rows, int columns,
		   int64_t row_begin, int64_t row_end)
{
	(void)rows;
	for (int64_t i = row_begin; i < row_end; i++) {
		const float *from = x + i * columns;
		float *to = y + i * columns;
		float largest = from[0], sum = 0;

		for (int j = 1; j < columns; j++)
			largest = fmaxf(largest, from[j]);
		for (int j = 0; j < columns; j++) {
			to[j] = expf(from[j] - largest);
			sum += to[j];
		}
		for (int j = 0; j < columns; j++)
			to[j] /= sum;
	}
}
