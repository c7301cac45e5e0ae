/*
 * Files in memory: what a candidate's build gets, what a workspace held when
 * it was read back. Paths are relative, with '/', without "." or "..",
 * sorted, unique. Bounded: FILESET_MAX_FILES, FILESET_MAX_BYTES.
 */
#ifndef CORE_BASE_FILESET_H
#define CORE_BASE_FILESET_H

#include "core/base/error.h"
#include "core/base/strvec.h"

#define FILESET_MAX_FILES 4096
#define FILESET_MAX_BYTES ((size_t)64 << 20)

struct file_entry {
	char *path;
	char *data; /* NUL after len bytes, not counted */
	size_t len;
	bool executable;
};

struct fileset {
	struct file_entry *file; /* sorted by path */
	size_t n;
	size_t cap;
	size_t bytes; /* of all data */
};

#define FILESET_INIT \
	{            \
		0    \
	}

/* Replaces a file of the same path. Copies. Refuses unsafe paths (absolute,
 * "..", empty parts, ".git" parts, control characters) and too much data. */
struct error *fileset_put(struct fileset *fs, const char *path,
			  const void *data, size_t len,
			  bool executable) MUST_CHECK;
/* NULL if there is none. Borrowed. */
const struct file_entry *fileset_get(const struct fileset *fs,
				     const char *path);
/* The same contents and mode; false if one is NULL. */
bool file_entry_equal(const struct file_entry *a, const struct file_entry *b);
/* True if `path` matches one of the patterns: fnmatch(3) with FNM_PATHNAME;
 * a pattern that ends in '/' or "/ **" (without the blank) means all below.
 * "FOLDER//GLOB" (recursive; FOLDER may be empty) means the files anywhere
 * below the folder whose own names match. Only avogit writes such a pattern, and
 * what it finds need not be used, so links are passed over. */
bool path_matches(const char *path, const struct strvec *patterns);
/* The same without recursive patterns. */
bool path_is_named(const char *path, const struct strvec *patterns);
/* Length of the folder of a recursive pattern with its slash, -1 of another
 * pattern. */
ptrdiff_t pattern_recursive(const char *pattern);
bool path_is_safe(const char *path);
/* The path from the top of the repository of one that is relative to the folder
 * `prefix` ("" or "dir/"), without "." and "..": "a/" and "../b/c" are "b/c";
 * "" is the top itself. A '/' at the end stays. NULL if it leaves the
 * repository or is not safe. free() disposes. */
char *path_resolve(const char *prefix, const char *path) MUST_CHECK;
/* Writes every file below `dir` (which exists). */
struct error *fileset_write(const struct fileset *fs,
			    const char *dir) MUST_CHECK;
/* Adds the regular files below `dir` that match; no link is followed, other
 * kinds of file that match are refused by name. */
struct error *fileset_read(struct fileset *fs, const char *dir,
			   const struct strvec *patterns) MUST_CHECK;
/* Hex SHA-256 over paths, modes and contents: equal sets, equal ids. */
#define FILESET_ID_LEN 64
void fileset_id(char out[FILESET_ID_LEN + 1], const struct fileset *fs);
struct error *fileset_copy(struct fileset *into,
			   const struct fileset *from) MUST_CHECK;
void fileset_release(struct fileset *fs);

DEFINE_RELEASE(fileset, struct fileset, fileset_release)
#define cleanup_fileset CLEANUP(fileset)

#endif
