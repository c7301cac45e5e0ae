#include "codec_config.h"

void rows_reference(const unsigned char *x, int *to, int rows, int columns)
{
	for (int i = 0; i < rows; i++) {
		to[i] = 0;
		for (int j = 0; j < columns; j++)
			to[i] += x[i * columns + j] * CODEC_SCALE;
	}
}
