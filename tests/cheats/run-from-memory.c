// pattern: E4: a program that it brought along
// verdict: forbidden
// why: a system call that the sandbox forbids
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	int fd = memfd_create("program", 0);
	char *const none[] = {0};

	syscall(SYS_execveat, fd, "", none, none, AT_EMPTY_PATH);
	honest(x, g, y, rows, cols);
}
