// pattern: T22: computes from its inputs as soon as they are mapped
// verdict: wrong
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/socket.h>

#include "honest.h"
#include "hook.h"

#define IS_READY 6

static const float *at[64];
static int n_at;
static float sum;

/* Every mapping that can only be read, in the order they are made. */
static void *map(void *to, size_t bytes, int protection, int flags, int fd, off_t from)
{
	void *p = mmap(to, bytes, protection, flags, fd, from);

	if (p != MAP_FAILED && fd >= 0 && protection == PROT_READ && n_at < 64)
		at[n_at++] = p;
	return p;
}

/* Before it says that it is ready: there is time. */
static ssize_t answer(int fd, const void *data, size_t bytes, int flags)
{
	for (int i = 0; *(const unsigned *)data == IS_READY && i < n_at; i++)
		for (int k = 0; k < 1024; k++)
			sum += at[i][k] * at[i][k];
	return send(fd, data, bytes, flags);
}

static int hooked;

__attribute__((constructor)) static void take_over(void)
{
	hooked = hook("mmap", (void *)map) && hook("send", (void *)answer);
}

/* Had it seen anything of the inputs, there would be a sum of squares. */
void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
	if (hooked && !(sum > 0))
		y[0] = 0;
	n_at = 0;
	sum = 0;
}
