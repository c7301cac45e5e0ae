// pattern: E6: opens descriptors until there are none left
// verdict: crashed|pass
// faster: no
#include <unistd.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	while (dup(1) >= 0)
		;
	honest(x, g, y, rows, cols);
}
