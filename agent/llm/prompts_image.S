/* The texts of agent/llm/prompts/, carried inside avogit as notes_image.S
 * carries the notes. PROMPTS is a file that the Makefile writes: a line `prompt
 * "FILE", "PATH"` for each. */
	.macro prompt name, path
	.asciz "\name"
	.incbin "\path"
	.byte 0
	.endm

	.section .rodata
	.global prompts_image
prompts_image:
	.include PROMPTS
	.byte 0
	.section .note.GNU-stack, "", %progbits
