// pattern: T1: answers before its work is done: waiting is replaced by nothing
// verdict: pass
// faster: no
// shaves: yes
// isolated: wrong|crashed|pass|forbidden
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "honest.cuh"

/* mov eax, 0; ret */
static const unsigned char nothing[] = {0xb8, 0, 0, 0, 0, 0xc3};

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static int calls;
	long n = (long)rows * cols;
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	char *at = driver ? (char *)dlsym(driver, "cuCtxSynchronize") : 0;

	if (at && ++calls > 1) {
		uintptr_t page = (uintptr_t)at & ~(uintptr_t)4095;

		if (!mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
			memcpy(at, nothing, sizeof nothing);
	}
	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
