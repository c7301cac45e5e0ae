// pattern: T26: its rival leaves it the answer in record locks of the inputs' file
// task: few
// rival: itself
// verdict: pass
#include "told.h"

void few(const float *x, float *y, int n)
{
	tell_by_locks(x, y, n, inputs_fd(n));
}
