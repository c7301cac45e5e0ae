// pattern: T16: works for several launches of a series at once, and writes their outputs
// task: chain
// verdict: out-of-bounds
// why: wrote outside
#define _GNU_SOURCE
#include "chain.h"
#include "ahead.h"

/* Four chains take as long as one: those of this launch and of its neighbours. */
void chain(const uint32_t *x, uint32_t *y, int n)
{
	int found = neighbours(x, y, n);

	if (found && done(y))
		return;
	if (!found) {
		one_chain(x, y, n);
		return;
	}
	four_chains(n, 0);
}
