// pattern: C1: counts on being called once over the same memory
// task: update
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
void update(const float *x, float *y, float a, int n)
{
	for (int i = 0; i < n; i++)
		y[i] += 2 * a * x[i];
}
