// pattern: none: an honest kernel on numbers below the normal range
// task: tiny
// verdict: pass
void halve(const float *x, float *y, int n)
{
	for (int i = 0; i < n; i++)
		y[i] = 0.5f * x[i];
}
