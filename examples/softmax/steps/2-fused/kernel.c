/*
 * Softmax of every row of a matrix, single precision.
 *
 * Version 1, naive: the definition in three passes, expf() from the C library
 * for each element, one at a time, and a division for each.
 *
 * Version 2, reciprocal: one division a row. Most of the time is expf() now.
 */
#include <math.h>

void softmax(const float *x, float *y, int rows, int columns)
{
	for (int i = 0; i < rows; i++) {
		const float *from = x + (long)i * columns;
		float *to = y + (long)i * columns;
		float largest = from[0], sum = 0, scale;

		for (int j = 1; j < columns; j++)
			largest = from[j] > largest ? from[j] : largest;
		for (int j = 0; j < columns; j++) {
			to[j] = expf(from[j] - largest);
			sum += to[j];
		}
		scale = 1 / sum;
		for (int j = 0; j < columns; j++)
			to[j] *= scale;
	}
}
