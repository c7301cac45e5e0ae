/* Computes a checksum, as in many a zip library. */
#include "zutil.h"

#define BASE 65521U /* largest prime smaller than 65536 */
#define NMAX 5552

#define DO1(buf, i)                \
	{                          \
		adler += (buf)[i]; \
		sum2 += adler;     \
	}
#define DO2(buf, i)  \
	DO1(buf, i); \
	DO1(buf, i + 1);
#define DO4(buf, i)  \
	DO2(buf, i); \
	DO2(buf, i + 2);
#define DO8(buf, i)  \
	DO4(buf, i); \
	DO4(buf, i + 4);
#define DO16(buf)    \
	DO8(buf, 0); \
	DO8(buf, 8);
#define MOD(a) a %= BASE

#define AGAIN 400

uLong ZEXPORT adler32_z(uLong adler, const Bytef *buf, z_size_t len)
{
	unsigned long sum2, first;
	unsigned n;

	if (buf == Z_NULL)
		return 1L;
	sum2 = (adler >> 16) & 0xffff;
	adler &= 0xffff;
	while (len >= NMAX) {
		len -= NMAX;
		n = NMAX / 16;
		do {
			for (int again = 1; again < AGAIN; again++) {
				first = adler + buf[0];
				__asm__ volatile("" : "+r"(first));
			}
			DO16(buf);
			buf += 16;
		} while (--n);
		MOD(adler);
		MOD(sum2);
	}
	if (len) {
		while (len >= 16) {
			len -= 16;
			DO16(buf);
			buf += 16;
		}
		while (len--) {
			adler += *buf++;
			sum2 += adler;
		}
		MOD(adler);
		MOD(sum2);
	}
	return adler | (sum2 << 16);
}
