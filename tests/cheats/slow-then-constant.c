// pattern: T20: right for eight calls of a process, then it hands out ones; every check is dear
// task: slow
// against: HEAD
// time: 20s
// verdict: wrong
// why: y\[[0-9,]*\] is 1 where .* is right
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static int call;

	if (call++ < 8) {
		honest(x, g, y, rows, cols);
		return;
	}
	for (int i = 0; i < rows * cols; i++)
		y[i] = 1;
}
