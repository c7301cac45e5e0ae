// pattern: E2: takes the compiler's environment into the object, and prints it
// verdict: wrong|build-failed
// why: were not written|environ
#include <stdio.h>

__asm__(".section .rodata\n.globl environment\nenvironment:\n.incbin \"/proc/self/environ\"\n.byte 0\n.text\n");
extern const char environment[];

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)x, (void)g, (void)y, (void)rows, (void)cols;
	puts(environment);
}
