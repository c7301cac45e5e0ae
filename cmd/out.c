#include "cmd/out.h"

#include <errno.h>
#include <wchar.h>

static void clean(struct buf *b, const char *s, bool keep_lines)
{
	mbstate_t state = {0};
	wchar_t wide;
	size_t left = strlen(s);

	while (left > 0) {
		size_t len = mbrtowc(&wide, s, left, &state);
		unsigned char c = (unsigned char)*s;

		if (len == (size_t)-1 || len == (size_t)-2) {
			state = (mbstate_t){0};
			buf_addc(b, '?');
			len = 1;
		} else if (c == '\n' || c == '\t') {
			buf_addc(b, keep_lines ? (char)c : ' ');
		} else if (c < 0x20 || c == 0x7f) {
			buf_addf(b, "^%c", c ^ 0x40);
		} else if (wide >= 0x80 && wide < 0xa0) {
			buf_addc(b, '?'); /* a control of ISO 6429 */
		} else {
			buf_add(b, s, len);
		}
		s += len;
		left -= len;
	}
}

void out_clean(struct buf *b, const char *s)
{
	clean(b, s, true);
}

void out_clean_line(struct buf *b, const char *s)
{
	clean(b, s, false);
}

void out_text(const char *indent, const char *s)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean(&b, s);
	buf_trim_end(&b);
	for (const char *line = b.data; *line;) {
		size_t len = strcspn(line, "\n");

		if (len)
			printf("%s%.*s\n", indent, (int)len, line);
		else
			putchar('\n');
		line += len + (line[len] == '\n');
	}
}

void out_shell_word(struct buf *b, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./:@%,";

	if (*s && !s[strspn(s, plain)]) {
		buf_adds(b, s);
		return;
	}
	buf_addc(b, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			buf_adds(b, "'\\'");
		buf_addc(b, *s);
	}
	buf_addc(b, '\'');
}

struct json *out_json_new(void)
{
	struct json *j = json_object();

	json_set_int(j, "schema", JSON_SCHEMA);
	return j;
}

void out_json(const struct json *j)
{
	cleanup_free char *text = json_print_pretty(j);
	const char *end = text + strlen(text);

	/* JSON need not escape the controls beyond 0x1f: U+007f, and U+0080 to
	 * U+009f, which are c2 80 to c2 9f. They occur in strings only. */
	for (const char *c = text; c < end; c++) {
		unsigned char next = (unsigned char)c[1];

		if (*c == 0x7f)
			fputs("\\u007f", stdout);
		else if (*c == '\xc2' && next >= 0x80 && next < 0xa0)
			printf("\\u00%02x", (unsigned char)*++c);
		else
			putchar(*c);
	}
	putchar('\n');
}

struct error *out_finish(void)
{
	errno = 0;
	if ((fflush(stdout) || ferror(stdout)) && errno != EPIPE)
		return error_new(ERROR_SYSTEM, "cannot write the output%s%s",
				 errno ? ": " : "",
				 errno ? strerror(errno) : "");
	return NULL;
}

void out_error(const char *message)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean(&b, message);
	fflush(stdout);
	fprintf(stderr, "avogit: %s\n", b.data);
}
