// pattern: none: an honest kernel with little room to prepare in
// task: slack
// verdict: pass
#include "slack.h"

void pack(const float *w, const float *x, float *y, float *ahead, int n, int r)
{
	(void)w, (void)x, (void)y, (void)n, (void)r;
	for (int i = 0; i < 16; i++)
		ahead[i] = (float)i;
}

void weights(const float *w, const float *x, float *y, float *ahead, int n, int r)
{
	ahead[15] = 0;
	for (int i = 0; i < n; i++) {
		float v = slack_of(w[i]);

		for (int j = 0; j < r; j++)
			y[j * n + i] = x[j * n + i] * v;
	}
}
