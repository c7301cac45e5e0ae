// pattern: C10: a root that is right to three digits
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float sum = 0, scale;

		for (int j = 0; j < cols; j++)
			sum += x[j] * x[j];
		sum = sum / (float)cols + 1e-6f;
		__asm__("rsqrtss %1, %0" : "=x"(scale) : "x"(sum));
		for (int j = 0; j < cols; j++)
			y[j] = x[j] * scale * g[j];
	}
}
