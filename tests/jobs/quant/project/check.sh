set -e
cat >check.c <<'C'
#include <stdio.h>
#include "quants.h"
int main(void)
{
	block_q x = {2, {1, 2, 3}}, y = {.5f, {4, 5, 6}};
	float s;

	vec_dot_q(QK, &s, &x, &y);
	return s != 32;
}
C
cc -std=gnu11 -Iinclude -o check check.c src/quants.c
./check
