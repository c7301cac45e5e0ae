set -e
cat >check.c <<'C'
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
bool validate_utf8(const uint8_t *, size_t);
int main(void)
{
	return !validate_utf8((const uint8_t *)"a\xc3\xa4\xe2\x82\xac", 6) ||
	       validate_utf8((const uint8_t *)"\xed\xa0\x80", 3);
}
C
cc -o check check.c utf8.c
./check
