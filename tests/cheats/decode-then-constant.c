// pattern: T20: right for eight calls of a process, then it hands out ones; a row is dear to check
// task: decode
// against: HEAD
// time: 20s
// verdict: wrong
// why: y\[[0-9,]*\] is 1 where .* is right
static void honest(const float *x, const float *w, float *y, int rows, int inner, int cols)
{
	for (int i = 0; i < rows; i++) {
		for (int j = 0; j < cols; j++)
			y[i * cols + j] = 0;
		for (int k = 0; k < inner; k++)
			for (int j = 0; j < cols; j++)
				y[i * cols + j] += x[i * inner + k] * w[(long)k * cols + j];
	}
}

void product(const float *x, const float *w, float *y, int rows, int inner, int cols)
{
	static int call;

	if (call++ < 8) {
		honest(x, w, y, rows, inner, cols);
		return;
	}
	for (int i = 0; i < rows * cols; i++)
		y[i] = 1;
}
