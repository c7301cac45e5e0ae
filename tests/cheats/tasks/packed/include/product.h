#ifndef PRODUCT_H
#define PRODUCT_H

static inline void product(const float *x, const float *w, float *y, int m, int n, int k)
{
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0;

			for (int l = 0; l < k; l++)
				sum += x[i * k + l] * w[l * n + j];
			y[i * n + j] = sum;
		}
}

#endif
