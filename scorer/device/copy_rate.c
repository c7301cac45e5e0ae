#include "scorer/device/copy_rate.h"

#include <string.h>

#include "core/base/base.h"
#include "core/base/clock.h"

/* Both buffers are in a first level of 32 KiB. */
#define BYTES  ((size_t)8 << 10)
#define COPIES 64
/* On a busy machine few tries have the CPU to themselves. */
#define TRIES 60

/* Seconds of COPIES copies. */
static double copy(unsigned char *to, unsigned char *from)
{
	double began = clock_seconds();

	for (int i = 0; i < COPIES; i++) {
		memcpy(to, from, BYTES);
		/* Each copy is made. */
		__asm__ volatile("" : : "r"(to), "r"(from) : "memory");
	}
	return clock_seconds() - began;
}

double copy_rate(void)
{
	unsigned char from[BYTES], to[BYTES];
	double best = 0;

	memset(from, 1, sizeof from);
	for (int i = 0; i < TRIES; i++) {
		double seconds = copy(to, from);

		if (seconds > 0)
			best = MAX(best, 2.0 * BYTES * COPIES / seconds);
	}
	return best;
}
