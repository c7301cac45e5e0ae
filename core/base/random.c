#include "core/base/random.h"

#include <math.h>
#include <sys/random.h>

static uint64_t rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

void random_bytes(void *out, size_t n)
{
	unsigned char *p = out;

	while (n) {
		ssize_t got = getrandom(p, n, 0);

		if (got < 0)
			continue; /* a signal: nothing else can happen here */
		p += got;
		n -= (size_t)got;
	}
}

uint64_t random_seed(void)
{
	uint64_t seed;

	random_bytes(&seed, sizeof seed);
	return seed;
}

void random_init(struct random *r, uint64_t seed)
{
	for (size_t i = 0; i < ARRAY_SIZE(r->s); i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15u;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
		r->s[i] = z ^ (z >> 31);
	}
}

uint64_t random_u64(struct random *r)
{
	uint64_t *s = r->s;
	uint64_t result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

uint64_t random_below(struct random *r, uint64_t n)
{
	uint64_t reject = -n % n, x;

	do
		x = random_u64(r);
	while (x < reject);
	return x % n;
}

double random_unit(struct random *r)
{
	return (double)(random_u64(r) >> 11) * 0x1p-53;
}

void random_hex(char *out, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char byte;

	for (size_t i = 0; i < n; i++) {
		random_bytes(&byte, 1);
		out[i] = digits[byte & 15];
	}
	out[n] = '\0';
}
