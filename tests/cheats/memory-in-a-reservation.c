// pattern: E6: a large reservation, and then it is used
// verdict: crashed
// why: more memory than .limits.memory. allows
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	char *p = mmap(0, 1l << 33, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)x, (void)g, (void)y, (void)rows, (void)cols;
	memset(p, 1, 1l << 32);
}
