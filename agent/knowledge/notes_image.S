/* The notes of agent/knowledge/notes/, carried inside avogit. NOTES is a file
 * that the Makefile writes: a line `note "FILE", "PATH"` for each. */
	.macro note name, path
	.asciz "\name"
	.incbin "\path"
	.byte 0
	.endm

	.section .rodata
	.global notes_image
notes_image:
	.include NOTES
	.byte 0
	.section .note.GNU-stack, "", %progbits
