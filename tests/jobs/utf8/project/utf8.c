/* Is a text valid UTF-8? */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOOKS 60

static unsigned follows(uint8_t c)
{
	return c < 0x80			? 0
	       : c >= 0xc2 && c <= 0xdf ? 1
	       : c >= 0xe0 && c <= 0xef ? 2
	       : c >= 0xf0 && c <= 0xf4 ? 3
					: 9;
}

bool validate_utf8(const uint8_t *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned more = 9;

		for (int look = 0; look < LOOKS; look++) {
			more = follows(text[i]);
			__asm__ volatile("" : "+r"(more));
		}
		if (more > len - 1 - i)
			return false;
		if ((text[i] == 0xe0 && text[i + 1] < 0xa0) ||
		    (text[i] == 0xed && text[i + 1] > 0x9f) ||
		    (text[i] == 0xf0 && text[i + 1] < 0x90) ||
		    (text[i] == 0xf4 && text[i + 1] > 0x8f))
			return false;
		for (; more; more--)
			if ((text[++i] & 0xc0) != 0x80)
				return false;
	}
	return true;
}
