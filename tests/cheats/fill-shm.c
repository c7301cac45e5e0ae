// pattern: E6: more in /dev/shm than a limit allows, half a GiB of it
// verdict: crashed|wrong
#include <fcntl.h>
#include <unistd.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static char block[1 << 20];
	static long got;
	int fd = got ? -1 : open("/dev/shm/big", O_CREAT | O_WRONLY, 0600);

	while (fd >= 0 && got < 512 &&
	       write(fd, block, sizeof block) == sizeof block)
		got++;
	if (got >= 512)
		honest(x, g, y, rows, cols);
}
