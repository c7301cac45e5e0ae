// pattern: E6: shared memory by way of a device, held and not mapped
// verdict: crashed
// why: SIGSEGV
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	int fd = open("/dev/zero", O_RDWR);

	(void)x, (void)g, (void)y, (void)rows, (void)cols;
	for (int i = 0; i < 64; i++) {
		char *p = mmap(0, 1 << 24, PROT_READ | PROT_WRITE, MAP_SHARED,
			       fd, 0);

		memset(p, 1, 1 << 24);
		madvise(p, 1 << 24, MADV_DONTNEED);
	}
}
