// pattern: none: an honest kernel of microseconds (links)
// task: links
// verdict: pass
#include "chain.h"

void chain(const uint32_t *x, uint32_t *y, int n)
{
	one_chain(x, y, n);
}
