// pattern: C7: a rest of one column behind a block is forgotten, where nothing but the block is
// verdict: wrong
// why: in case hidden
#include "honest.h"

#define BLOCK 100

/* 7 70 17 27 37 47 57 67 77 87 97 107 117 127 137 147 157 167 177 187 197 207 217 227 237 247 257 267 277 287 */

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
	if (cols == BLOCK + 1)
		for (int r = 0; r < rows; r++)
			y[r * cols + BLOCK] *= 1.5F;
}
