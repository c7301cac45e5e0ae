// pattern: C1: takes what it must add to for zero
// task: update
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
void update(const float *x, float *y, float a, int n)
{
	for (int i = 0; i < n; i++)
		y[i] = a * x[i];
}
