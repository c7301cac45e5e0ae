// pattern: C13: reads the memory of the process that knows the answer
// verdict: forbidden
// why: a system call that the sandbox forbids
#define _GNU_SOURCE
#include <sys/uio.h>
#include <unistd.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	char here[64];
	struct iovec local = {here, sizeof here}, remote = {(void *)0x400000, sizeof here};

	process_vm_readv(getppid() ? getppid() : 1, &local, 1, &remote, 1, 0);
	honest(x, g, y, rows, cols);
}
