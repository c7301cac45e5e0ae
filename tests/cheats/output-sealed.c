// pattern: T22: seals its outputs, so that no poison can be written there
// verdict: pass
// faster: no
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "honest.h"
#include "hook.h"

#define IS_READY 6

static int outputs = -1;

static void *map(void *to, size_t bytes, int protection, int flags, int fd, off_t from)
{
	if (fd >= 0 && protection & PROT_WRITE && outputs < 0)
		outputs = dup(fd);
	return mmap(to, bytes, protection, flags, fd, from);
}

/* Before it says that it is ready. */
static ssize_t answer(int fd, const void *data, size_t bytes, int flags)
{
	if (*(const unsigned *)data == IS_READY && outputs >= 0 &&
	    fcntl(outputs, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) < 0)
		outputs = -1;
	return send(fd, data, bytes, flags);
}

__attribute__((constructor)) static void take_over(void)
{
	hook("mmap", (void *)map);
	hook("send", (void *)answer);
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
}
