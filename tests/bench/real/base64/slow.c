/* Three bytes to four letters, a letter at a time. */
#include <stdint.h>

static const char letters[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void encode(const uint8_t *x, uint8_t *out, int n)
{
	for (int i = 0; i < n; i++, x += 3, out += 4) {
		out[0] = (uint8_t)letters[x[0] >> 2];
		out[1] = (uint8_t)letters[(x[0] & 3) << 4 | x[1] >> 4];
		out[2] = (uint8_t)letters[(x[1] & 15) << 2 | x[2] >> 6];
		out[3] = (uint8_t)letters[x[2] & 63];
	}
}
