/* e to the x, and its inverse, in float, for kernels that are linked with no library. */
#ifndef EXPONENTIAL_H
#define EXPONENTIAL_H
#include <stdint.h>
#include <string.h>

static inline float power_of_two(int n)
{
	uint32_t bits = n > 127 ? 0x7f800000u : n < -126 ? 0u : (uint32_t)(n + 127) << 23;
	float f;

	memcpy(&f, &bits, sizeof f);
	return f;
}

/* Beyond its range infinity and zero, as every such function has it. */
static inline float exponential(float x)
{
	double t = (double)x * 1.4426950408889634, f, p;
	int n;

	if (x > 200 || x < -200)
		return x > 0 ? power_of_two(128) : 0;
	n = (int)(t + (t < 0 ? -0.5 : 0.5));
	f = (t - n) * 0.6931471805599453;
	p = 1 + f * (1 + f * (1 / 2. + f * (1 / 6. + f * (1 / 24. + f * (1 / 120. + f * (1 / 720. + f / 5040))))));
	return n < -126 ? 0 : (float)p * power_of_two(n);
}

/* Of a positive number. */
static inline float logarithm(float x)
{
	uint32_t bits;
	double m, s;

	memcpy(&bits, &x, sizeof bits);
	if (bits >= 0x7f800000u)
		return x;
	m = (bits & 0x7fffff) / 8388608.0 + 1;
	s = (m - 1.4142135623730951) / (m + 1.4142135623730951);
	m = s * s;
	s *= 2 * (1 + m * (1 / 3. + m * (1 / 5. + m * (1 / 7. + m * (1 / 9. + m / 11)))));
	return (float)(s + ((int)(bits >> 23) - 127 + 0.5) * 0.6931471805599453);
}
#endif
