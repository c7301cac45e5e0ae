#include "cmd/ui/out.h"

#include <errno.h>

#include "cmd/ui/live.h"
#include "core/base/file.h"
#include "core/base/text.h"

void out_clean(struct buf *b, const char *s)
{
	text_add_lines(b, s, strlen(s));
}

void out_clean_line(struct buf *b, const char *s)
{
	text_add_line(b, s, strlen(s));
}

void out_clean_last_line(struct buf *b, const char *s)
{
	cleanup_buf struct buf copy = BUF_INIT(BUF_LIMIT_TEXT);
	const char *last;

	buf_adds(&copy, s);
	buf_trim_end(&copy);
	last = strrchr(copy.data, '\n');
	out_clean_line(b, last ? last + 1 : copy.data);
}

void out_text_to(FILE *out, const char *indent, const char *s)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean(&b, s);
	buf_trim_end(&b);
	for (const char *line = b.data; *line;) {
		size_t len = strcspn(line, "\n");

		if (len)
			fprintf(out, "%s%.*s\n", indent, (int)len, line);
		else
			putc('\n', out);
		line += len + (line[len] == '\n');
	}
}

void out_text(const char *indent, const char *s)
{
	out_text_to(stdout, indent, s);
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
	buf_add_quoted(b, s);
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

	fputs(text, stdout);
	putchar('\n');
}

struct error *out_check_free(const char *command, const char *path)
{
	if (!file_exists(path))
		return NULL;
	return error_new(ERROR_REFUSED,
			 "%s: %s is there already: --force replaces it",
			 command, path);
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
	live_hold();
	live_clear();
	fflush(stdout);
	fprintf(stderr, "avogit: %s\n", b.data);
	live_go_on();
}
