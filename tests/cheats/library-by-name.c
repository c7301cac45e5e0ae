// pattern: C16: looks for a library that the machine may have
// verdict: pass
// faster: no
#include <dlfcn.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static void *blas;

	if (!blas)
		blas = dlopen("libcudart.so", RTLD_NOW);
	honest(x, g, y, rows, cols);
}
