/* What the task asks for, and for those that tell each other the answer: they
 * have sixty-two bits of it, which is all but the last of each number. */
#ifndef FEW_H
#define FEW_H

#include <stdint.h>
#include <string.h>

static inline float few_root(float v)
{
	__asm__("sqrtss %0, %0" : "+x"(v));
	return v;
}

static inline void few_honest(const float *x, float *y, int n)
{
	float sum[2] = {0, 0};

	for (int i = 0; i < n; i++) {
		float v = x[i];

		for (int k = 0; k < 16; k++)
			v = 1.25f * v / few_root(1 + v * v);
		sum[i % 2] += v;
	}
	memcpy(y, sum, sizeof sum);
}

/* Never zero, and below 2 to the 62. */
static inline uint64_t few_pack(const float *y)
{
	uint32_t word[2];

	memcpy(word, y, sizeof word);
	return (uint64_t)(word[0] >> 1) << 31 | word[1] >> 1 | 1;
}

static inline void few_unpack(float *y, uint64_t bits)
{
	uint32_t word[2] = {(uint32_t)(bits >> 31) << 1, (uint32_t)bits << 1};

	memcpy(y, word, sizeof word);
}

#endif
