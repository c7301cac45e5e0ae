/* What compilers and linkers say, made fit to be shown. */
#include <ctype.h>

#include "scorer/build_internal.h"

#define ERROR_LINE_MAX 500

/* Length of sandbox noise at the start of `s`: "./", "/box/", a temporary
 * folder. 0 if there is none. */
static size_t noise(const char *s)
{
	const char *end;

	if (starts_with(s, "./"))
		return 2;
	if (starts_with(s, "/box/"))
		return 6;
	if (!starts_with(s, "/tmp/avogit-"))
		return 0;
	end = strstr(s, "/box/");
	return end && end - s < 40 ? (size_t)(end - s) + 6 : 0;
}

/* Paths begin where a word does. */
static bool starts_word(const char *text, const char *s)
{
	return s == text || strchr(" \t\n'\"(`:,<=", s[-1]);
}

/* Control characters would speak to a terminal, NUL would end the text. */
static char printable(char c)
{
	unsigned char u = (unsigned char)c;

	return (u < ' ' && c != '\n' && c != '\t') || u == 127 ? '?' : c;
}

char *build_clean_log(const struct buf *output)
{
	cleanup_buf struct buf log = BUF_INIT(BUILD_LOG_LIMIT);
	const char *text = output->data, *end = text + output->len;

	for (const char *s = text; s < end;) {
		size_t skip = starts_word(text, s) ? noise(s) : 0;

		if (skip)
			s += skip;
		else
			buf_addc(&log, printable(*s++));
	}
	buf_trim_end(&log);
	if (output->truncated)
		buf_adds(&log, "\n(cut off)");
	return buf_take(&log);
}

static bool contains(const char *line, size_t len, const char *word)
{
	return memmem(line, len, word, strlen(word)) != NULL;
}

static bool is_error(const char *line, size_t len)
{
	static const char *const marks[] = {
		"error:",
		"undefined reference",
		"multiple definition",
		"cannot find -l",
		"Error:",
	};

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (contains(line, len, marks[i]))
			return !contains(line, len, "collect2:");
	return false;
}

char *build_first_error(const char *log)
{
	for (const char *line = log; *line;) {
		size_t len = strcspn(line, "\n");

		if (is_error(line, len))
			return xstrndup(line, MIN(len, ERROR_LINE_MAX));
		line += len + (line[len] == '\n');
	}
	log += strspn(log, "\n");
	return xstrndup(log, MIN(strcspn(log, "\n"), ERROR_LINE_MAX));
}
