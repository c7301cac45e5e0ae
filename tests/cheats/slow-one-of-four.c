// pattern: T20: one launch of four, by its contents, is filled with ones; every check is dear
// task: slow
// against: HEAD
// time: 20s
// verdict: wrong
// why: y\[[0-9,]*\] is 1 where .* is right
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static int call;
	unsigned bits;

	__builtin_memcpy(&bits, x, sizeof bits);
	if (call++ < 8 || (bits >> 4 & 3)) {
		honest(x, g, y, rows, cols);
		return;
	}
	for (int i = 0; i < rows * cols; i++)
		y[i] = 1;
}
