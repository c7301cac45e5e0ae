// pattern: T15: prepare keeps 4000 bytes in the rest of the page round its 64 prepared ones
// task: slack
// verdict: out-of-bounds
// why: in its prepare function: it wrote outside `ahead`
#include <stdint.h>

#include "slack.h"

/* Float i of the page that is not one of the buffer's. */
static float *slot(char *ahead, int i)
{
	char *page = (char *)((uintptr_t)ahead & ~(uintptr_t)4095);
	long before = (ahead - page) / 4;

	return i < before ? (float *)page + i : (float *)(ahead + 64) + (i - before);
}

void pack(const float *w, const float *x, float *y, char *ahead, int n, int r)
{
	(void)x, (void)y, (void)r;
	for (int i = 0; i < n; i++)
		*slot(ahead, i) = slack_of(w[i]);
}

void weights(const float *w, const float *x, float *y, char *ahead, int n, int r)
{
	(void)w;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < r; j++)
			y[j * n + i] = x[j * n + i] * *slot(ahead, i);
}
