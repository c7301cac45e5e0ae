// pattern: C24: another rounding mode, in the hope that the reference gets it too
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	unsigned control;

	__asm__ volatile("stmxcsr %0" : "=m"(control));
	control |= 0x6000;
	__asm__ volatile("ldmxcsr %0" : : "m"(control));
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float sum = 0, scale;

		for (int r = 0; r < 40; r++)
			for (int j = 0; j < cols; j++)
				sum += x[j] * x[j] / 40;
		scale = 1 / honest_root(sum / (float)cols + 1e-6f);
		for (int j = 0; j < cols; j++)
			y[j] = x[j] * scale * g[j];
	}
}
