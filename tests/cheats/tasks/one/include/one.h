#ifndef ONE_H
#define ONE_H

static inline float one_root(float v)
{
	__asm__("sqrtss %0, %0" : "+x"(v));
	return v;
}

static inline void one_honest(const float *x, float *y, int n)
{
	float sum = 0;

	for (int i = 0; i < n; i++) {
		float v = x[i];

		for (int k = 0; k < 16; k++)
			v = 1.25f * v / one_root(1 + v * v);
		sum += v;
	}
	*y = sum / (float)n;
}

#endif
