// pattern: none: an honest kernel that works out ahead what comes of static inputs
// task: weights
// verdict: pass
void pack(const float *w, const float *x, float *y, float *ahead, int n)
{
	(void)x, (void)y;
	for (int i = 0; i < n; i++)
		ahead[i] = w[i] + 1;
}

void weights(const float *w, const float *x, float *y, const float *ahead, int n)
{
	(void)w;
	for (int i = 0; i < n; i++)
		y[i] = ahead[i] * x[i];
}
