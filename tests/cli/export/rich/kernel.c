// avogit-flags: -O3
#include "rich.h"

static int is_set_up;

void rich_setup(void)
{
	is_set_up = 1;
}

void rich_prepare(const float *x, const float *in, const int32_t *at, float *y,
		  double *z, const struct opts *o, double *scratch,
		  float *packed, int m, int part)
{
	for (int64_t j = 0; j < o->n; j++)
		packed[j] = in[j] * o->scale;
}

int rich(const float *x, const float *in, const int32_t *at, float *y, double *z,
	 const struct opts *o, double *scratch, const float *packed, int m,
	 int part)
{
	int count = 0;

	for (int i = 0; i < m; i++) {
		const float *row = x + i * (o->n + 4);
		float sum = 0;

		for (int64_t j = 0; j < o->n; j++)
			sum += row[j] * packed[j];
		scratch[i] += sum;
		y[i] += (float)scratch[i] + o->bias[i];
		z[i * 3] = row[at[i]];
		z[i * 3 + 1] = is_set_up ? i % part + (double)row[0] : 0;
		count += at[i] % part == 0;
	}
	return count;
}
