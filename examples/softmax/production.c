/* What runs today: the version a careful person writes in plain C. */
#include <math.h>

void softmax_production(const float *x, float *y, int rows, int columns)
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
