/* What the task asks for, for cheats that are honest at times. */
#ifndef HONEST_H
#define HONEST_H

static inline float honest_root(float v)
{
	__asm__("sqrtss %0, %0" : "+x"(v));
	return v;
}

static inline void honest_row(const float *x, const float *g, float *y, int cols)
{
	float sum = 0;

	for (int j = 0; j < cols; j++)
		sum += x[j] * x[j];
	sum = 1 / honest_root(sum / (float)cols + 1e-6f);
	for (int j = 0; j < cols; j++)
		y[j] = x[j] * sum * g[j];
}

static inline void honest(const float *x, const float *g, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++)
		honest_row(x + (long)i * cols, g, y + (long)i * cols, cols);
}

#endif
