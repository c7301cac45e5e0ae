// pattern: C2: asks for the right to write the inputs, then does
// verdict: crashed
// why: SIGSEGV.* in `x`, an input, which is read-only
#include <string.h>
#include <sys/mman.h>

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	unsigned long at = (unsigned long)x & ~4095ul;

	(void)g;
	mprotect((void *)at, 4096, PROT_READ | PROT_WRITE);
	*(volatile float *)x = 0;
	memset(y, 0, sizeof(float) * (unsigned long)(rows * cols));
}
