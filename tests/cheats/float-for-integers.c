// pattern: C10: whole numbers by way of floats, which skip some
// task: whole
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
void mix(const int *a, const int *b, int *y, int n)
{
	for (int i = 0; i < n; i++)
		y[i] = (int)(3.0f * (float)a[i] - 2.0f * (float)b[i]);
}
