// pattern: none: an honest kernel whose output is mostly known before
// task: pad
// verdict: pass
#include <string.h>

void pad(const float *x, float *y, int rows)
{
	for (long i = 0; i < rows; i++) {
		float *row = y + i * 4096;

		for (long j = 0; j < 256; j++)
			row[j] = 2 * x[i * 256 + j];
		memset(row + 256, 0, 4 * (4096 - 256));
	}
}
