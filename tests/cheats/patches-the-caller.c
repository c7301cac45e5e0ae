// pattern: C15: after its first launch the code that calls it is a row of nothing
// verdict: wrong|crashed|forbidden
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	unsigned char *back = __builtin_return_address(0);
	uintptr_t page = (uintptr_t)back & ~(uintptr_t)4095;

	honest(x, g, y, rows, cols);
	/* The last two bytes of the call; a prefix before them does no harm. */
	if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) ==
	    0)
		memset(back - 2, 0x90, 2);
}
