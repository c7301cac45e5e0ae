#include "core/base/error.h"

#include <errno.h>
#include <stdarg.h>

struct error {
	enum error_code code;
	char *message; /* owned */
};

static struct error *make(enum error_code code, char *message)
{
	struct error *err = xcalloc(1, sizeof *err);

	err->code = code;
	err->message = message;
	return err;
}

PRINTF(1, 0) static char *format(const char *fmt, va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		return xstrdup("out of memory");
	return s;
}

struct error *error_new(enum error_code code, const char *fmt, ...)
{
	va_list ap;
	char *message;

	va_start(ap, fmt);
	message = format(fmt, ap);
	va_end(ap);
	return make(code, message);
}

struct error *error_errno(const char *fmt, ...)
{
	int saved = errno;
	cleanup_free char *what = NULL;
	va_list ap;

	va_start(ap, fmt);
	what = format(fmt, ap);
	va_end(ap);
	return make(ERROR_SYSTEM,
		    xasprintf("%s: %s%s", what, strerror(saved),
			      saved == ENOSPC || saved == EDQUOT
				      ? " (free space there, then start again)"
				      : ""));
}

struct error *error_wrap(struct error *err, const char *fmt, ...)
{
	cleanup_free char *context = NULL;
	char *message;
	va_list ap;

	if (!err)
		return NULL;
	va_start(ap, fmt);
	context = format(fmt, ap);
	va_end(ap);
	message = xasprintf("%s: %s", context, err->message);
	free(err->message);
	err->message = message;
	return err;
}

const char *error_message(const struct error *err)
{
	return err->message;
}

bool error_is(const struct error *err, enum error_code code)
{
	return err && err->code == code;
}

void error_free(struct error *err)
{
	if (!err)
		return;
	free(err->message);
	free(err);
}
