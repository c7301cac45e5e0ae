// pattern: E6: shared memory that it holds and has not mapped, so that it does not count
// verdict: crashed
// why: SIGSEGV
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)x, (void)g, (void)y, (void)rows, (void)cols;
	for (;;) {
		char *p = mmap(0, 1 << 24, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		memset(p, 1, 1 << 24);
		madvise(p, 1 << 24, MADV_DONTNEED);
	}
}
