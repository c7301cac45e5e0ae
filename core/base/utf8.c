#include "core/base/utf8.h"

size_t utf8_len(const char *text, size_t left)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)text;
	size_t n;
	uint32_t code;

	if (!left)
		return 0;
	n = s[0] < 0x80		    ? 1
	    : (s[0] & 0xe0) == 0xc0 ? 2
	    : (s[0] & 0xf0) == 0xe0 ? 3
	    : (s[0] & 0xf8) == 0xf0 ? 4
				    : 0;
	if (!n || n > left)
		return 0;
	code = n == 1 ? s[0] : s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (n > 1 && (code < smallest[n] || code > 0x10ffff ||
		      (code >= 0xd800 && code < 0xe000)))
		return 0;
	return n;
}

uint32_t utf8_code(const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	uint32_t code = len == 1 ? s[0] : s[0] & (0x7fu >> len);

	for (size_t i = 1; i < len; i++)
		code = code << 6 | (s[i] & 0x3f);
	return code;
}

void utf8_add_clean(struct buf *out, const char *s, size_t len)
{
	size_t done = 0;

	for (size_t i = 0; i < len;) {
		size_t n = utf8_len(s + i, len - i);

		if (n && s[i]) {
			i += n;
			continue;
		}
		buf_add(out, s + done, i - done);
		buf_adds(out, "\xef\xbf\xbd");
		done = ++i;
	}
	buf_add(out, s + done, len - done);
}
