/*
 * A codec as a repository has it: one file with everything in it, macros, a
 * static function at its heart, headers beside it, one of them generated.
 */
#include "codec.h"
#include "codec_config.h"

#include <string.h>

#define ROUNDS 24 // avogit: 24 1
#define MODE 0	  // avogit: 0

#if CODEC_WIDE
typedef long long wide;
#else
typedef int wide;
#endif

#define DEFINE_SUM(name, type)                                 \
	static wide name(const type *x, int n)                 \
	{                                                      \
		wide sum = 0;                                  \
		for (int i = 0; i < n; i++)                    \
			sum += (wide)x[i] * CODEC_SCALE;       \
		return sum;                                    \
	}

#if MODE == 0
DEFINE_SUM(sum_bytes, unsigned char)
#else
DEFINE_SUM(sum_bytes, signed char)
#endif

static wide sum_rows(const unsigned char *restrict x, int *restrict to,
		     int rows, int columns)
{
	wide all = 0;

	for (int round = 0; round < ROUNDS; round++) {
		all = 0;
		for (int i = 0; i < rows; i++) {
			wide sum = sum_bytes(x + (long)i * columns, columns);

			to[i] = (int)sum;
			all += sum;
		}
		__asm__ volatile("" ::: "memory");
	}
	return all;
}

struct codec *codec_open(const char *path)
{
	return codec_lookup(path); /* of another file of the project */
}

long long codec_check(const struct codec *c)
{
	int sums[16];

	return sum_rows(c->data, sums, 16, c->bytes / 16);
}
