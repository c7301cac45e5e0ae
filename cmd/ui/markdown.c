#include "cmd/ui/markdown.h"

#include "core/base/text.h"

#define MAX_CODE 400 /* bytes in one line */

/* Nothing ends a code span but a backtick, and a cell but a bar. */
void markdown_add_code(struct buf *out, const char *text)
{
	cleanup_buf struct buf line = BUF_INIT(MAX_CODE);

	text_add_line(&line, text, strlen(text));
	for (size_t i = 0; i < line.len; i++) {
		if (line.data[i] == '`')
			line.data[i] = '\'';
		if (line.data[i] == '|')
			line.data[i] = '/';
	}
	buf_addf(out, "`%s%s`", line.len ? line.data : " ",
		 line.truncated ? "..." : "");
}

/* Indented by four: whatever it contains, it is code. The comment ends a list: in
 * an item of it, four would not be enough. */
void markdown_add_block(struct buf *out, const char *text, size_t most)
{
	cleanup_buf struct buf clean = BUF_INIT(most);
	char *save = NULL;

	text_add_lines(&clean, text, strlen(text));
	buf_adds(out, "\n<!-- -->\n\n");
	for (char *line = strtok_r(clean.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		buf_addf(out, "    %s\n", line);
	if (clean.truncated)
		buf_adds(out, "    ... cut here\n");
}
