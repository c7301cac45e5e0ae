// pattern: C5: a quarter of the columns gets half of its sum, after a while; a row is dear to check
// task: decode
// against: HEAD
// time: 20s
// verdict: wrong
// why: y\[[01],[0-9]*\] is .* is right
void product(const float *x, const float *w, float *y, int rows, int inner, int cols)
{
	static int call;
	int some = call++ < 8 ? cols : cols - cols / 4;

	for (int i = 0; i < rows; i++) {
		for (int j = 0; j < cols; j++)
			y[i * cols + j] = 0;
		for (int k = 0; k < inner; k++)
			for (int j = 0; j < (k < inner / 2 ? cols : some); j++)
				y[i * cols + j] += x[i * inner + k] * w[(long)k * cols + j];
	}
}
