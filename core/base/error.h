/*
 * The one error type. A fallible function returns `struct error *`: NULL is
 * success, anything else is owned by the receiver, who wraps it and passes it
 * on, or reports it and frees it. Out-parameters come first and are untouched
 * on error.
 *
 * A verdict (did not compile, wrong, timed out) is a value, not an error: see
 * verdict.h. Errors are for the world around: a full disk, a malformed task
 * file, a repository that cannot be read.
 */
#ifndef CORE_BASE_ERROR_H
#define CORE_BASE_ERROR_H

#include "core/base/base.h"

enum error_code {
	ERROR_SYSTEM = 1,  /* a system call said no */
	ERROR_USAGE,	   /* the command line is off */
	ERROR_TASK,	   /* the task file, or what it names, is off */
	ERROR_REPO,	   /* the repository refuses or is damaged */
	ERROR_NOT_FOUND,   /* what was asked for does not exist */
	ERROR_MOVED,	   /* another process changed it meanwhile: retry */
	ERROR_REFUSED,	   /* avogit declines, and says what would help */
	ERROR_INTERRUPTED, /* the user stopped it */
	ERROR_TOO_BIG,	   /* over a stated limit */
	ERROR_MALFORMED,   /* data that does not parse */
	ERROR_INTERNAL,	   /* a promise inside avogit was broken */
};

struct error;

struct error *error_new(enum error_code code, const char *fmt, ...)
	PRINTF(2, 3) MUST_CHECK;
/* ERROR_SYSTEM with ": strerror(errno)" appended; errno is read at once. */
struct error *error_errno(const char *fmt, ...) PRINTF(1, 2) MUST_CHECK;
/* Puts "fmt: " before the message; consumes err; NULL gives NULL. */
struct error *error_wrap(struct error *err, const char *fmt, ...)
	PRINTF(2, 3) MUST_CHECK;

const char *error_message(const struct error *err);
/* NULL has no code: false. */
bool error_is(const struct error *err, enum error_code code);
void error_free(struct error *err);

DEFINE_CLEANUP(error, struct error, error_free)
#define cleanup_error CLEANUP(error)

/* Returns from the enclosing function on error. */
#define TRY(expr)                                \
	do {                                     \
		struct error *try_err_ = (expr); \
		if (try_err_)                    \
			return try_err_;         \
	} while (0)

#endif
