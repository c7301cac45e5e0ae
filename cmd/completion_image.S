/* The scripts of dist/completions, carried inside avogit. */
	.section .rodata
	.global completion_bash, completion_zsh, completion_fish
completion_bash:
	.incbin "dist/completions/avogit.bash"
	.byte 0
completion_zsh:
	.incbin "dist/completions/_avogit"
	.byte 0
completion_fish:
	.incbin "dist/completions/avogit.fish"
	.byte 0
	.section .note.GNU-stack, "", %progbits
