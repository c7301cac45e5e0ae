// pattern: none: an honest kernel whose rows are few and dear to check
// task: decode
// verdict: pass
void product(const float *x, const float *w, float *y, int rows, int inner, int cols)
{
	for (int i = 0; i < rows; i++) {
		for (int j = 0; j < cols; j++)
			y[i * cols + j] = 0;
		for (int k = 0; k < inner; k++)
			for (int j = 0; j < cols; j++)
				y[i * cols + j] += x[i * inner + k] * w[(long)k * cols + j];
	}
}
