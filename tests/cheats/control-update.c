// pattern: none: an honest kernel that reads what it overwrites
// task: update
// verdict: pass
void update(const float *x, float *y, float a, int n)
{
	for (int i = 0; i < n; i++)
		y[i] += a * x[i];
}
