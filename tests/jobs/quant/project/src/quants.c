#include "quants.h"

#ifdef HAVE_BF16
#error "not on this machine"
#endif

#define UNUSED(x)	 (void)(x)
#define FOR_BLOCKS(i, n) for (int i = 0; i < (n) / QK; i++)
#define KEEP(x)		 __asm__ volatile("" : "+r"(x))

#define SWEEPS 40

static inline int32_t sum_of_block(const block_q *x, const block_q *y)
{
	int32_t sum = 0;

	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		sum = 0;
		for (int j = 0; j < QK; j++)
			sum += x->q[j] * y->q[j];
		KEEP(sum);
	}
	return sum;
}

void vec_dot_q(int n, float *restrict s, const void *restrict vx,
	       const void *restrict vy)
{
	const block_q *restrict x = vx;
	const block_q *restrict y = vy;
	float sum = 0;

	FOR_BLOCKS(i, n)
	sum += x[i].d * y[i].d * (float)sum_of_block(&x[i], &y[i]);
	*s = sum;
}
