set -e
cat >check.c <<'C'
#define RESIZE_IMPLEMENTATION
#include "resize.h"
int main(void)
{
	unsigned char in[] = {1, 3, 5, 7}, out;

	resize_uint8(in, 1, 1, &out);
	return out != 4;
}
C
cc -o check check.c
./check
