/* The runner program, carried inside avogit (see scorer/runner/). */
	.section .rodata
	.global runner_program, runner_program_end
	.balign 16
runner_program:
	.incbin PROGRAM
runner_program_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
