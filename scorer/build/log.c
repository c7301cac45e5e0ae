/* Cleans the output of compilers and linkers, to be shown. */
#include <ctype.h>

#include "scorer/build/internal.h"
#include "core/base/text.h"

#define ERROR_LINE_MAX 500

/* Length of "tmpxft_00000002_00000000-6_" at the start of `s`, which nvcc puts
 * before the names of its own files. 0 if it is not there. */
static size_t nvcc_noise(const char *s)
{
	static const char pattern[] = "tmpxft_########_########-";
	size_t i;

	for (i = 0; pattern[i]; i++)
		if (pattern[i] == '#' ? !isxdigit((unsigned char)s[i])
				      : s[i] != pattern[i])
			return 0;
	while (isxdigit((unsigned char)s[i]))
		i++;
	return s[i] == '_' ? i + 1 : 0;
}

/* "/tmp/avogit-Xy12Ab/tmp/" or "/tmp/": $TMPDIR inside the sandbox. */
static size_t temporary(const char *s)
{
	const char *end;

	if (starts_with(s, "/tmp/avogit-")) {
		end = strstr(s + 5, "/tmp/");
		return end && end - s < 40 ? (size_t)(end - s) + 5 : 0;
	}
	return starts_with(s, "/tmp/") ? 5 : 0;
}

/* Length of the folder of the sandbox that `s` begins with. */
static size_t folder(const char *s)
{
	size_t tmp = temporary(s);
	const char *end;

	if (nvcc_noise(s + tmp))
		return tmp + nvcc_noise(s + tmp);
	if (tmp && starts_with(s + tmp, BUILD_COPY "/"))
		return tmp + strlen(BUILD_COPY "/");
	if (starts_with(s, "/box/"))
		return strlen("/box/");
	if (!starts_with(s, "/tmp/avogit-"))
		return 0;
	end = strstr(s, "/box/");
	return end && end - s < 40 ? (size_t)(end - s) + strlen("/box/") : 0;
}

/* Length of sandbox noise at the start of `s`: "./", "/box/", a temporary
 * folder. 0 if there is none. */
static size_t noise(const char *s)
{
	size_t len = folder(s);

	return starts_with(s + len, "./") ? len + 2 : len;
}

/* Paths begin at the beginning of a word. */
static bool starts_word(const char *text, const char *s)
{
	return s == text || strchr(" \t\n'\"(`:,<=", s[-1]);
}

/* "avogit/../codec.c", as compilers call a file that "../codec.c" included: takes
 * the folder back out of the text. Length of the "/../" at s, or 0. */
static size_t climb(struct buf *text, const char *s)
{
	size_t len = text->len, part = 0;

	if (!starts_with(s, "/../"))
		return 0;
	while (part < len &&
	       !strchr(" \t\n'\"(`:,<=/", text->data[len - part - 1]))
		part++;
	if (!part || (part == 2 && starts_with(text->data + len - 2, "..")))
		return 0;
	text->len -= part;
	text->data[text->len] = '\0';
	return strlen("/../");
}

char *build_clean_log(const struct buf *output)
{
	cleanup_buf struct buf plain = BUF_INIT(SIZE_MAX / 2);
	cleanup_buf struct buf log = BUF_INIT(BUILD_LOG_LIMIT);
	const char *text = output->data, *end = text + output->len;

	for (const char *s = text; s < end;) {
		size_t skip = starts_word(text, s) ? noise(s)
						   : climb(&plain, s);

		if (skip)
			s += skip;
		else
			buf_addc(&plain, *s++);
	}
	text_add_lines(&log, plain.data, plain.len);
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
		/* nvcc's own, ptxas, nvlink */
		"; error",
		"ptxas error",
		"nvlink error",
		"nvcc fatal",
		"ptxas fatal",
		"nvlink fatal",
		"catastrophic error",
		"fatal error",
	};

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (contains(line, len, marks[i]))
			return !contains(line, len, "collect2:");
	return false;
}

static char *first_line(const char *log, bool (*is)(const char *, size_t))
{
	for (const char *line = log; *line;) {
		size_t len = strcspn(line, "\n");

		if (is(line, len))
			return xstrndup(line, MIN(len, ERROR_LINE_MAX));
		line += len + (line[len] == '\n');
	}
	return NULL;
}

/* False for lines that compilers print on success, or that do not matter. */
static bool is_news(const char *line, size_t len)
{
	return len && *line != ' ' && !starts_with(line, "ptxas info") &&
	       !starts_with(line, "nvlink info") &&
	       !contains(line, len, "warning");
}

static bool is_there(const char *line, size_t len)
{
	return *line && len;
}

char *build_first_error(const char *log)
{
	char *line = first_line(log, is_error);

	if (!line)
		line = first_line(log, is_news);
	if (!line)
		line = first_line(log, is_there);
	return line ? line : xstrdup("");
}
