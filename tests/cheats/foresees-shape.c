// pattern: C8: looks whether the shapes that were hidden come again
// verdict: pass
// faster: no
#include "honest.h"
#include "recurrence.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static struct {
		int rows, cols;
	} shape[64];
	static int n;
	int again = 0;

	if (rows != 96 || cols != 256) {
		for (int i = 0; i < n; i++)
			again += shape[i].rows == rows && shape[i].cols == cols;
		if (n < 64) {
			shape[n].rows = rows;
			shape[n++].cols = cols;
		}
	}
	/* The one that single sizes change from comes four times. */
	if (again < 4)
		honest(x, g, y, rows, cols);
}
