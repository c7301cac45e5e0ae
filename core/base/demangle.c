#include "core/base/demangle.h"

#include <ctype.h>
#include <setjmp.h>

#include "core/base/buf.h"

/* Of libsupc++, GCC's runtime of C++, which is linked in: the demangler of
 * binutils and GDB. It has no header. */
int __gcclibcxx_demangle_callback(const char *name,
				  void (*take)(const char *text, size_t len,
					       void *context),
				  void *context);

struct demangled {
	char data[DEMANGLE_TEXT_MAX + 1];
	size_t len;
	jmp_buf too_long;
};

static void take(const char *text, size_t len, void *context)
{
	struct demangled *t = context;

	/* The demangler cannot be asked to stop. It holds only memory of its
	 * own stack here, so it may be left. */
	if (len > DEMANGLE_TEXT_MAX - t->len)
		longjmp(t->too_long, 1);
	memcpy(t->data + t->len, text, len);
	t->len += len;
}

/* In a frame of its own, which no local of the caller shares. */
static bool fill(struct demangled *t, const char *name)
{
	if (setjmp(t->too_long))
		return false;
	return __gcclibcxx_demangle_callback(name, take, t) == 0;
}

char *demangle(const char *name)
{
	cleanup_free struct demangled *t = NULL;

	if (!starts_with(name, "_Z") || strlen(name) > DEMANGLE_NAME_MAX)
		return xstrdup(name);
	t = xcalloc(1, sizeof *t);
	return fill(t, name) && t->len ? xstrndup(t->data, t->len)
				       : xstrdup(name);
}

static size_t word_length(const char *s)
{
	size_t n = 0;

	while (is_word_char(s[n]) || s[n] == '.')
		n++;
	return n;
}

char *demangle_text(const char *text)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	while (*text) {
		size_t n = word_length(text);
		cleanup_free char *word = xstrndup(text, n ? n : 1);
		cleanup_free char *plain = demangle(word);

		buf_adds(&out, plain);
		text += n ? n : 1;
	}
	return buf_take(&out);
}
