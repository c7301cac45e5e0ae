/*
 * What every file of avogit starts from: attributes, the cleanup helpers and
 * allocation that cannot fail.
 *
 * Ownership is in the verb. S_init fills a struct the caller has, S_release
 * frees its contents, S_clear releases it and leaves it usable, S_free frees
 * contents and struct, S_dup copies deeply, S_take moves ownership out. What
 * a getter returns is borrowed from its object. Every local that owns
 * something carries a cleanup_* attribute, so a function may return early
 * (TRY in error.h does); `steal` moves what it owns to the caller.
 */
#ifndef CORE_BASE_BASE_H
#define CORE_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/banned.h"

#define ARRAY_SIZE(a)	   (sizeof(a) / sizeof((a)[0]))
#define MUST_CHECK	   __attribute__((warn_unused_result))
#define PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define NEVER_NULL	   __attribute__((returns_nonnull))
#define UNUSED		   __attribute__((unused))

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/*
 * Declares cleanup_NAME for pointers to `type` that `free_fn` disposes of
 * (free_fn must accept NULL): write `cleanup_task struct task *t = NULL;`
 * after `#define cleanup_task CLEANUP(task)`.
 */
#define DEFINE_CLEANUP(name, type, free_fn)              \
	static inline void cleanup_##name##_fn(type **p) \
	{                                                \
		free_fn(*p);                             \
	}
/* The same for a struct by value that `release_fn` releases. */
#define DEFINE_RELEASE(name, type, release_fn)          \
	static inline void cleanup_##name##_fn(type *p) \
	{                                               \
		release_fn(p);                          \
	}
#define CLEANUP(name) __attribute__((cleanup(cleanup_##name##_fn)))

void cleanup_free_fn(void *p);
void cleanup_fd_fn(int *fd);
void cleanup_file_fn(FILE **f);
#define cleanup_free CLEANUP(free)
#define cleanup_fd   CLEANUP(fd)
#define cleanup_file CLEANUP(file)

/* Moves ownership out of *(void **)p: returns it and leaves NULL there. */
void *steal(void *p);
/* The same for a file descriptor: leaves -1 there. */
int steal_fd(int *fd);

/* Allocation never returns NULL: out of memory ends the program (exit 128)
 * with one line on stderr. xcalloc and xrealloc check for overflow. */
void *xcalloc(size_t n, size_t size) MUST_CHECK NEVER_NULL;
void *xrealloc(void *p, size_t n, size_t size) MUST_CHECK NEVER_NULL;
char *xstrdup(const char *s) MUST_CHECK NEVER_NULL;
/* NULL gives NULL. */
char *xstrdup_null(const char *s) MUST_CHECK;
char *xstrndup(const char *s, size_t n) MUST_CHECK NEVER_NULL;
void *xmemdup(const void *p, size_t n) MUST_CHECK NEVER_NULL;
char *xasprintf(const char *fmt, ...) PRINTF(1, 2) MUST_CHECK NEVER_NULL;

/* Makes room for one more in a growing array of `count` items: call before
 * writing array[count++]; `cap` is a size_t the owner keeps. */
#define GROW(array, count, cap)                                              \
	do {                                                                 \
		if ((count) >= (cap)) {                                      \
			(cap) = (cap) ? 2 * (cap) : 8;                       \
			(array) = xrealloc((array), (cap), sizeof *(array)); \
		}                                                            \
	} while (0)

/* A variable of the environment; NULL if it is not set, or empty: VAR= before a
 * command unsets it. */
static inline const char *env_get(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static inline bool str_eq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}
bool starts_with(const char *s, const char *prefix);
/* Is the whole text so many hexadecimal digits, none of them a capital? */
bool str_is_hex(const char *s, size_t len);
/* A letter, a digit or '_': what names in C have. */
bool is_word_char(char c);
/* The greatest that divides both; of 0 and n it is n. */
int64_t common_divisor(int64_t a, int64_t b);
bool ends_with(const char *s, const char *suffix);

#endif
