// pattern: T9: /proc/self/mem writes where a mapping forbids it
// verdict: wrong
// why: is -?0 where .* is right
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static const float zeros[130 * 300];
	unsigned long bytes = sizeof(float) * (unsigned long)(rows * cols);
	int fd = open("/proc/self/mem", O_RDWR);

	(void)g;
	if (fd >= 0 && pwrite(fd, zeros, bytes, (off_t)(unsigned long)x) < 0)
		close(fd);
	memset(y, 0, bytes);
}
