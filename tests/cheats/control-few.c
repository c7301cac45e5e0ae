// pattern: none: an honest kernel with little to say
// task: few
// verdict: pass
#include "few.h"

void few(const float *x, float *y, int n)
{
	few_honest(x, y, n);
}
