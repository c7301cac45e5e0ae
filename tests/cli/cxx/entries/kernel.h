#include <stddef.h>
#include <stdint.h>

struct image {
	float *data;
	int width, height;
};

struct options {
	int offset;
	double factor;
};
