// pattern: C24: leaves the direction of string instructions switched, so that its caller goes backwards
// verdict: crashed|wrong|forbidden
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
	__asm__ volatile("std" ::: "cc", "memory");
}
