/* A list of strings, NULL-terminated, ready to be an argv. Owns its strings. */
#ifndef CORE_BASE_STRVEC_H
#define CORE_BASE_STRVEC_H

#include "core/base/base.h"

struct strvec {
	char **v; /* v[n] is NULL; NULL itself while empty */
	size_t n;
	size_t cap;
};

#define STRVEC_INIT \
	{           \
		0   \
	}

void strvec_push(struct strvec *sv, const char *s);
void strvec_pushf(struct strvec *sv, const char *fmt, ...) PRINTF(2, 3);
/* Pushes every argument up to a NULL. */
void strvec_pushl(struct strvec *sv, ...) __attribute__((sentinel));
void strvec_extend(struct strvec *sv, const struct strvec *more);
bool strvec_has(const struct strvec *sv, const char *s);
/* The same strings in the same order? */
bool strvec_equal(const struct strvec *a, const struct strvec *b);
/* Byte order. */
void strvec_sort(struct strvec *sv);
void strvec_release(struct strvec *sv);

DEFINE_RELEASE(strvec, struct strvec, strvec_release)
#define cleanup_strvec CLEANUP(strvec)

#endif
