#include <stdint.h>
struct opts {
	float scale;
	int64_t n;
	const float *bias;
};
