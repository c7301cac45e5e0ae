// pattern: T13: keeps results by a hash of the whole input
// verdict: pass
// faster: no
#include <string.h>

#include "honest.h"

static unsigned long hash(const float *x, int n)
{
	unsigned long h = 14695981039346656037u;
	unsigned bits;

	for (int i = 0; i < n; i++) {
		memcpy(&bits, &x[i], 4);
		h = (h ^ bits) * 1099511628211u;
	}
	return h;
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static struct {
		unsigned long key;
		float y[130 * 300];
	} kept[8];
	static int next;
	unsigned long key = hash(x, rows * cols) ^ hash(g, cols);

	for (int i = 0; i < 8; i++)
		if (kept[i].key == key) {
			memcpy(y, kept[i].y, sizeof(float) * (unsigned long)(rows * cols));
			return;
		}
	honest(x, g, y, rows, cols);
	kept[next & 7].key = key;
	memcpy(kept[next++ & 7].y, y, sizeof(float) * (unsigned long)(rows * cols));
}
