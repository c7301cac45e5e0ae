/* The scorer's own kernels as text, for the driver to compile. */
	.macro text name, file
	.global \name
	.hidden \name
\name:
	.incbin "\file"
	.byte 0
	.endm

	.section .rodata
	text gpu_kernels_ptx, scorer/runner_gpu/kernels.ptx
	text gpu_ceilings_ptx, scorer/runner_gpu/ceilings.ptx
	text gpu_ceilings_sm80_ptx, scorer/runner_gpu/ceilings_sm80.ptx
	text gpu_ceilings_sm90a_ptx, scorer/runner_gpu/ceilings_sm90a.ptx
	.section .note.GNU-stack, "", %progbits
