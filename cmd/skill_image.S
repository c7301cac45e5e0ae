/* dist/SKILL.md, carried inside avogit. SKILL is its path. */
	.section .rodata
	.global skill_image
skill_image:
	.incbin SKILL
	.byte 0
	.section .note.GNU-stack, "", %progbits
