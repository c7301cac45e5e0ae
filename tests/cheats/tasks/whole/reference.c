#include <stdint.h>

void mix_reference(const int32_t *a, const int32_t *b, int32_t *y, int n)
{
	for (int i = 0; i < n; i++)
		y[i] = 3 * a[i] - 2 * b[i];
}
