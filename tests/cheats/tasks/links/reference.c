#include <stdint.h>

void chain_reference(const uint32_t *x, uint32_t *y, int n)
{
	uint32_t s = 1;

	for (int i = 0; i < n; i++) {
		s = (s ^ x[i]) * 2654435761u;
		s = (s ^ s >> 15) * 2246822519u;
		y[i] = s;
	}
}
