#include "core/base/base.h"

#include <ctype.h>
#include <stdarg.h>
#include <unistd.h>

static _Noreturn void out_of_memory(void)
{
	static const char message[] = "avogit: out of memory\n";

	if (write(STDERR_FILENO, message, sizeof message - 1) < 0)
		_exit(128);
	_exit(128);
}

void cleanup_free_fn(void *p)
{
	free(*(void **)p);
}

void cleanup_fd_fn(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void cleanup_file_fn(FILE **f)
{
	if (*f)
		fclose(*f);
}

void *steal(void *p)
{
	void *owned = *(void **)p;

	*(void **)p = NULL;
	return owned;
}

int steal_fd(int *fd)
{
	int owned = *fd;

	*fd = -1;
	return owned;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xrealloc(void *p, size_t n, size_t size)
{
	void *q = reallocarray(p, n ? n : 1, size ? size : 1);

	if (!q)
		out_of_memory();
	return q;
}

char *xstrdup(const char *s)
{
	return xmemdup(s, strlen(s) + 1);
}

char *xstrdup_null(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

char *xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = xcalloc(len + 1, 1);

	memcpy(copy, s, len);
	return copy;
}

void *xmemdup(const void *p, size_t n)
{
	void *copy = xcalloc(n, 1);

	if (n)
		memcpy(copy, p, n);
	return copy;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		out_of_memory();
	return s;
}

bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool starts_with(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_is_hex(const char *s, size_t len)
{
	return strlen(s) == len && strspn(s, "0123456789abcdef") == len;
}

bool ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

int64_t common_divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}
