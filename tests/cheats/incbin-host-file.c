// pattern: E2: takes a file of the host into the object
// verdict: build-failed
// why: /etc/passwd
__asm__(".section .rodata\n.incbin \"/etc/passwd\"\n.text\n");
