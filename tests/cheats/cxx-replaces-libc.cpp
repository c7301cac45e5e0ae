// pattern: T5: names of the C library with hooks of its own, in the hope that the scorer calls them
// task: cxx
// rival: itself
// verdict: pass
#include <cstddef>
#include <ctime>
#include <sys/types.h>

#include "honest.h"

#ifndef RIVAL
extern "C" {
int clock_gettime(clockid_t, struct timespec *t) noexcept
{
	t->tv_sec = t->tv_nsec = 0;
	return 0;
}

ssize_t recvmsg(int, struct msghdr *, int)
{
	return -1;
}

void *__cxa_begin_catch(void *) noexcept
{
	return nullptr;
}
}
#endif

namespace nn {

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
}

} // namespace nn
