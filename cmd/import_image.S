/* What `avogit import` carries: the script that reads a problem in the sandbox,
 * and what it writes below a problem's own text, of which the script takes the
 * first part, too. */
	.section .rodata
	.global read_problem_image
read_problem_image:
	.incbin "cmd/import/read_problem.py"
	.byte 0
	.global problem_wide_image
problem_wide_image:
	.incbin "cmd/import/wide.py"
	.byte 0
	.global problem_adapter_image
problem_adapter_image:
	.incbin "cmd/import/adapter.py"
	.byte 0
	.section .note.GNU-stack, "", %progbits
