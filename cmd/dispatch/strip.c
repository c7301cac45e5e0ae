#include "cmd/dispatch/strip.h"

#include "agent/tuner/declaration.h"

static void strip_line(struct buf *out, const char *text, size_t len)
{
	cleanup_free char *line = xstrndup(text, len);
	const char *comment;
	size_t end = strlen(line);

	if (end < len || !declaration_mark(line, &comment)) {
		buf_add(out, text, len);
		return;
	}
	end = (size_t)(comment - line);
	while (end && (line[end - 1] == ' ' || line[end - 1] == '\t'))
		end--;
	buf_add(out, line, end);
}

void strip_marks(struct buf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		const char *end = memchr(text + i, '\n', len - i);
		size_t n = end ? (size_t)(end - text) - i : len - i;
		size_t before = out->len;

		strip_line(out, text + i, n);
		/* A line that was nothing but a mark is gone. */
		if (end && (out->len > before || !n))
			buf_addc(out, '\n');
		i += n + 1;
	}
	if (out->len && out->data[out->len - 1] != '\n')
		buf_addc(out, '\n');
}
