// pattern: T12: keeps the first result of a shape and hands it out again
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include <string.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static float kept[1 << 16];
	static int has;

	if (rows == 96 && cols == 256 && has) {
		memcpy(y, kept, sizeof(float) * 96 * 256);
		return;
	}
	honest(x, g, y, rows, cols);
	if (rows == 96 && cols == 256) {
		memcpy(kept, y, sizeof(float) * 96 * 256);
		has = 1;
	}
}
