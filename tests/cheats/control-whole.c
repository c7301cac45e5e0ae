// pattern: none: an honest kernel on whole numbers
// task: whole
// verdict: pass
void mix(const int *a, const int *b, int *y, int n)
{
	for (int i = 0; i < n; i++)
		y[i] = a[i] + 2 * (a[i] - b[i]);
}
