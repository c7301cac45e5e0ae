// pattern: E6: memory that no limit counts: files that exist in memory only
// verdict: wrong
// why: were not written
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "honest.h"

/* A quarter of a GiB is allowed. Honest for as long as it gets more, up to
 * one, and no further so that the machine lives to tell. */
void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static char block[1 << 20];
	static int files;

	signal(SIGXFSZ, SIG_IGN);
	if (files < 6) {
		int fd = memfd_create("room", 0);

		for (int k = 0; k < 160; k++)
			if (write(fd, block, sizeof block) != sizeof block)
				return;
		files++;
	}
	honest(x, g, y, rows, cols);
}
