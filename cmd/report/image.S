/* The page's own files, carried inside avogit; cmd/report/files is among the
 * folders of -I. */
	.section .rodata
#define FILE(name, path)       \
	.global name;          \
	name: .incbin path; \
	.byte 0;
FILE(report_style, "report.css")
FILE(report_script, "report.js")
FILE(report_body, "body.html")
	.section .note.GNU-stack, "", %progbits
