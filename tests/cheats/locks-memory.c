// pattern: E6: locks all the memory it has and will have, so that others have less
// verdict: pass
// faster: no
#include <sys/mman.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static int asked;

	if (!asked++)
		mlockall(MCL_CURRENT | MCL_FUTURE);
	honest(x, g, y, rows, cols);
}
