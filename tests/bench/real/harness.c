/*
 * The honest harness that avogit's ratios of small kernels are held against: two
 * variants of one kernel in shared objects, on data that is mapped and warm, in
 * turns, the least of many times. A short kernel is called so often in a row that
 * the clock costs nothing.
 *
 * usage: harness KIND N SLOW.so FAST.so [SECONDS]
 * prints: microseconds of a call of each, and the ratio
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LEAST_SECONDS 50e-6 /* of calls in a row */

typedef void two(const void *, void *, int);
typedef void three(const void *, const void *, void *, int);

struct kernel {
	const char *name, *entry;
	int inputs;
	size_t in, out; /* bytes for each n, of one input and of the output */
	int floats;
};

static const struct kernel kernels[] = {
	{"adler32", "checksum", 1, 1, 0, 0},
	{"base64", "encode", 1, 3, 4, 0},
	{"dot", "dot", 2, 4, 0, 1},
	{"sad", "sad", 2, 256, 4, 0},
};

struct data {
	void *x, *y, *out;
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *map(size_t bytes)
{
	void *p = mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		exit(2);
	return p;
}

static void *input(const struct kernel *k, int n)
{
	size_t bytes = k->in * (size_t)n;
	unsigned char *p = map(bytes);

	for (size_t i = 0; i < bytes; i++)
		p[i] = (unsigned char)rand();
	for (size_t i = 0; k->floats && i < bytes / 4; i++)
		((float *)(void *)p)[i] =
			(float)rand() / (float)RAND_MAX - 0.5F;
	return p;
}

static void call(const struct kernel *k, void *f, const struct data *d, int n)
{
	if (k->inputs == 1)
		((two *)f)(d->x, d->out, n);
	else
		((three *)f)(d->x, d->y, d->out, n);
}

static double once(const struct kernel *k, void *f, const struct data *d, int n,
		   int times)
{
	double start = seconds();

	for (int i = 0; i < times; i++) {
		call(k, f, d, n);
		__asm__ volatile("" ::: "memory");
	}
	return (seconds() - start) / times;
}

static void *entry(const char *path, const struct kernel *k)
{
	void *object = dlopen(path, RTLD_NOW);
	void *f = object ? dlsym(object, k->entry) : NULL;

	if (!f) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	return f;
}

static int in_a_row(const struct kernel *k, void *f, const struct data *d,
		    int n)
{
	int times = 1;

	while (once(k, f, d, n, times) * times < LEAST_SECONDS)
		times *= 2;
	return times;
}

int main(int argc, char **argv)
{
	const struct kernel *k = NULL;
	double least[2] = {1e9, 1e9}, end;
	int n = argc > 2 ? atoi(argv[2]) : 0, times[2];
	struct data d;
	void *f[2];

	for (size_t i = 0; argc > 4 && i < sizeof kernels / sizeof *kernels;
	     i++)
		if (!strcmp(kernels[i].name, argv[1]))
			k = &kernels[i];
	if (!k || n < 1)
		return 2;
	d = (struct data){input(k, n), input(k, n), map(k->out * (size_t)n)};
	for (int i = 0; i < 2; i++) {
		f[i] = entry(argv[3 + i], k);
		times[i] = in_a_row(k, f[i], &d, n);
	}
	end = seconds() + (argc > 5 ? atof(argv[5]) : 1);
	while (seconds() < end)
		for (int i = 0; i < 2; i++) {
			double t = once(k, f[i], &d, n, times[i]);

			if (t < least[i])
				least[i] = t;
		}
	printf("%.4f %.4f %.4f\n", 1e6 * least[0], 1e6 * least[1],
	       least[0] / least[1]);
	return 0;
}
