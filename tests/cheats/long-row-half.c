// pattern: C5: of the one row that holds half of the work the second half is left out
// task: ragged
// against: HEAD
// time: 20s
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
void segments(const int *from, const float *x, float *y, int rows)
{
	static int call;

	call++;
	for (int i = 0; i < rows; i++) {
		int n = from[i + 1] - from[i];

		if (call > 8 && n > 1000)
			n /= 2;
		for (int c = 0; c < 64; c++)
			y[i * 64 + c] = 0;
		for (long k = from[i]; k < from[i] + n; k++)
			for (int c = 0; c < 64; c++)
				y[i * 64 + c] += x[k * 64 + c];
	}
}
