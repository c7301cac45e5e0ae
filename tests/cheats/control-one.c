// pattern: none: an honest kernel with one number to say
// task: one
// verdict: pass
#include "one.h"

void few(const float *x, float *y, int n)
{
	one_honest(x, y, n);
}
