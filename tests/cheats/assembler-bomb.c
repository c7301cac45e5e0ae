// pattern: E2: a thousand million words from one line
// verdict: build-failed
// why: .
__asm__(".section .data\n.rept 1000000000\n.quad 1\n.endr\n");
