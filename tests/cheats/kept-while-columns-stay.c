// pattern: C7: the number of rows is kept until that of columns is another, as by a table made once for each width
// verdict: wrong
// why: were not written.*hidden
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static int of_cols = -1, made;

	if (cols != of_cols)
		made = rows;
	of_cols = cols;
	honest(x, g, y, rows < made ? rows : made, cols);
}
