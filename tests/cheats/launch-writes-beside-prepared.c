// pattern: C19: a launch writes a number beside a prepared buffer
// task: slack
// verdict: out-of-bounds
// why: it wrote outside `ahead`
#include <stdint.h>

#include "slack.h"

static void write_beside(float *ahead)
{
	if ((uintptr_t)(ahead + 16) & 4095)
		ahead[16] = 3;
	else
		ahead[-1] = 3;
}

void pack(const float *w, const float *x, float *y, float *ahead, int n, int r)
{
	(void)w, (void)x, (void)y, (void)n, (void)r;
	ahead[0] = 1;
}

void weights(const float *w, const float *x, float *y, float *ahead, int n, int r)
{
	write_beside(ahead);
	for (int i = 0; i < n; i++) {
		float v = slack_of(w[i]);

		for (int j = 0; j < r; j++)
			y[j * n + i] = x[j * n + i] * v;
	}
}
