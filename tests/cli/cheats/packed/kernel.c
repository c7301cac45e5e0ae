/* The columns of w one after another, so that a dot product walks straight. */
void pack(const float *x, const float *w, float *y, float *packed, int m, int n, int k)
{
	(void)x, (void)y, (void)m;
	for (int j = 0; j < n; j++)
		for (int l = 0; l < k; l++)
			packed[j * k + l] = w[l * n + j];
}

void multiply(const float *x, const float *w, float *y, const float *packed, int m, int n, int k)
{
	(void)w;
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0;

			for (int l = 0; l < k; l++)
				sum += x[i * k + l] * packed[j * k + l];
			y[i * n + j] = sum;
		}
}
