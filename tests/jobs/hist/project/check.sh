set -e
cat >check.c <<'C'
#include "hist.h"
int main(void)
{
	U32 count[256];
	unsigned max = 255;

	return HIST_count(count, &max, "abca", 4) != 2 || max != 'c';
}
C
cc -o check check.c hist.c
./check
