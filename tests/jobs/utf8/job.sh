# A predicate: nearly every random text is not UTF-8, so a generator makes some that are.
typed avogit init utf8.c &&
edited avogit.yaml '/name: text/,/fill:/s|fill: .*|fill: {generator: some_text}|' &&
added reference.c <<\EOF &&

#include <string.h>

/* Text; every second one has a fault somewhere. */
void some_text(uint8_t *data, uint64_t seed, int64_t len)
{
	memset(data, 'a', (size_t)len + 1);
	for (int64_t i = 0; i + 2 < len; i += 3 + (int64_t)(seed % 7))
		memcpy(&data[i], "\xc3\xa4", 2);
	if (seed >> 8 & 1)
		data[(seed >> 16) % (uint64_t)len] = 0xff;
}
EOF
edited utf8.c 's|^#define LOOKS .*|& // avogit: 60 1|' &&
evolve_and_pick
