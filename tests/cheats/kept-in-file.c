// pattern: T15: prepare keeps what it saw in a file
// task: packed
// verdict: wrong
#include <fcntl.h>
#include <unistd.h>

#include "product.h"

static float kept[192 * 192];

void pack(const float *x, const float *w, float *y, float *packed, int m, int n, int k)
{
	int fd = open("/dev/shm/kept", O_RDWR | O_CREAT | O_TRUNC, 0600);

	(void)x, (void)y, (void)packed, (void)m;
	if (write(fd, w, sizeof(float) * (unsigned long)(n * k)) > 0)
		close(fd);
}

void multiply(const float *x, const float *w, float *y, const float *packed, int m, int n, int k)
{
	int fd = open("/dev/shm/kept", O_RDONLY);

	(void)w, (void)packed;
	if (read(fd, kept, sizeof kept) > 0)
		close(fd);
	product(x, kept, y, m, n, k);
}
