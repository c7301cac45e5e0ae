// pattern: C7: a rest is forgotten between the end of a range and the largest case
// task: chain
// verdict: wrong
// why: in case hidden
#include "chain.h"

void chain(const uint32_t *x, uint32_t *y, int n)
{
	one_chain(x, y, n);
	if (n > 512 && n < 4000)
		y[n - 1] ^= n % 8 != 0;
}
