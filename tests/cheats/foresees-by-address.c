// pattern: C8: solves the generator of the inputs from the addresses that it is handed
// verdict: pass
// faster: no
#include "honest.h"
#include "xoshiro.h"

#define SEEN  12
#define MOST  24 /* draws from one launch to the next, at most */
#define PAGES 12

static unsigned long page[SEEN];
static int n, known;

/* Whatever is drawn between: outputs, then inputs are drawn one after the other,
 * and launches are some draws apart. */
static int solves(void)
{
	static struct xoshiro_solver x;
	uint64_t state[4];

	for (unsigned apart = 2; apart <= MOST; apart++) {
		xoshiro_solver_init(&x);
		for (unsigned i = 0; i < SEEN && !x.contradicts; i++)
			xoshiro_see(&x, i / 2 * apart + i % 2, page[i]);
		if (xoshiro_solve(state, &x))
			return 1;
	}
	return 0;
}

/* Once it knows what is to come it does nothing any more, so that this shows: a
 * copy of what it made ahead would be right, and fast. */
void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	if (n < SEEN) {
		page[n++] = ((unsigned long)y >> PAGES) & ((1ul << XOSHIRO_LOW) - 1);
		page[n++] = ((unsigned long)x >> PAGES) & ((1ul << XOSHIRO_LOW) - 1);
		known = n == SEEN && solves();
	}
	if (!known)
		honest(x, g, y, rows, cols);
}
