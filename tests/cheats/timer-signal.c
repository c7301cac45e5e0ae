// pattern: T2: a timer's signal does the work later
// verdict: wrong|forbidden
// why: were not written|a system call that the sandbox forbids
#include <signal.h>
#include <sys/time.h>

#include "honest.h"

static const float *x1, *g1;
static float *y1;
static int rows1, cols1;

static void later(int number)
{
	(void)number;
	honest(x1, g1, y1, rows1, cols1);
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	const struct itimerval soon = {{0, 0}, {0, 20000}};

	x1 = x, g1 = g, y1 = y, rows1 = rows, cols1 = cols;
	signal(SIGALRM, later);
	setitimer(ITIMER_REAL, &soon, 0);
}
