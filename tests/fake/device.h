/*
 * What stands in for CUDA's language where tests/fake/nvcc compiles. A kernel
 * is written
 *
 *     KERNEL(name, 8, 8, 4)	 // bytes of each parameter
 *     {
 *             float *x = PARAMETER(0, float *);
 *
 * and does the work of all its threads; the host launches it with LAUNCH(name,
 * stream, x, y, n), and waits for it with SYNCHRONIZE(stream).
 */
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#ifdef __CUDA_ARCH__

/* What tells an object with device code from an empty one. */
__attribute__((section(".nv.global"), used)) static int device_data = 1;

#define KERNEL(name, ...)                                      \
	const unsigned name##_parameters[] = {__VA_ARGS__, 0}; \
	void name(void **parameters)
#define PARAMETER(i, type) (*(type *)parameters[i])

#else

#include <dlfcn.h>
#include <stdlib.h>

typedef void *cudaStream_t;

struct config {
	unsigned grid[3], block[3], shared_bytes;
	void *stream, *attributes;
	unsigned n_attributes;
};

extern const unsigned char fatbin_image[] __attribute__((visibility("hidden")));

__attribute__((unused)) static void launch(const char *name, void *stream,
					   void **parameters)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*load)(void **, const void *),
		(*find)(void **, void *, const char *),
		(*run)(const struct config *, void *, void **, void **);
	const struct config config = {{1, 1, 1}, {1, 1, 1}, 0, stream, NULL, 0};
	static void *module;
	void *function;

	if (!driver)
		abort();
	*(void **)&load = dlsym(driver, "cuModuleLoadData");
	*(void **)&find = dlsym(driver, "cuModuleGetFunction");
	*(void **)&run = dlsym(driver, "cuLaunchKernelEx");
	if ((module || !load(&module, fatbin_image)) &&
	    !find(&function, module, name))
		run(&config, function, parameters, NULL);
}

__attribute__((unused)) static void synchronize(void *stream)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*wait)(void *);

	if (!driver)
		abort();
	*(void **)&wait = dlsym(driver, "cuStreamSynchronize");
	wait(stream);
}

#define SYNCHRONIZE(stream) synchronize(stream)
#define LAUNCH(name, stream, ...) launch(#name, stream, (void *[]){__VA_ARGS__})

#endif
