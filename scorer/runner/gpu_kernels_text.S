/* The scorer's own kernels as text, for the driver to compile. */
	.section .rodata
	.global gpu_kernels_ptx
	.hidden gpu_kernels_ptx
gpu_kernels_ptx:
	.incbin "scorer/runner/gpu_kernels.ptx"
	.byte 0
	.section .note.GNU-stack, "", %progbits
