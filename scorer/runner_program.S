/* The runner program, carried inside avogit (see scorer/runner/). */
	.section .rodata
	.global runner_program, runner_program_end
	.balign 16
runner_program:
	.incbin PROGRAM
runner_program_end:
	.byte 0
/* And the one in Python, with its part in C. */
	.global python_runner, python_runner_end
python_runner:
	.incbin "scorer/runner_python/runner.py"
python_runner_end:
	.byte 0
	.global python_forbid, python_forbid_end
	.balign 16
python_forbid:
	.incbin FORBID
python_forbid_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
