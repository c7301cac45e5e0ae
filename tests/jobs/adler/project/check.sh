set -e
cat >check.c <<'C'
#include "zutil.h"
uLong adler32_z(uLong, const Bytef *, z_size_t);
int main(void) { return adler32_z(1, (const Bytef *)"Wikipedia", 9) != 0x11e60398; }
C
cc -o check check.c adler32.c
./check
