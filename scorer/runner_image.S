/* The runner program, carried inside avogit (see scorer/runner/). */
	.section .rodata
	.global runner_image, runner_image_end
	.balign 16
runner_image:
	.incbin IMAGE
runner_image_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
