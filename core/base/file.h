/* Whole files and folders, with limits. Nothing here follows a link where
 * the name says so. */
#ifndef CORE_BASE_FILE_H
#define CORE_BASE_FILE_H

#include <dirent.h>
#include <sys/types.h>

#include "core/base/buf.h"
#include "core/base/strvec.h"

/* Reads the file into b (cleared first); over b->limit is ERROR_TOO_BIG, not
 * a truncation. ERROR_NOT_FOUND when it does not exist. */
struct error *file_read(struct buf *b, const char *path) MUST_CHECK;
/* The rest of an open file, added to b; `path` is for messages. */
struct error *file_read_fd(struct buf *b, int fd, const char *path) MUST_CHECK;
/* Writes beside it, fsyncs, renames: readers see old or new, never half. */
struct error *file_write_atomic(const char *path, const void *data,
				size_t len) MUST_CHECK;
/* The same, readable by its owner alone. Its folder is made as dir_make_private makes
 * it. */
struct error *file_write_private(const char *path, const void *data,
				 size_t len) MUST_CHECK;
struct error *file_write(const char *path, const void *data, size_t len,
			 bool executable) MUST_CHECK;
/* Makes the folder and those above it. */
struct error *dir_make(const char *path) MUST_CHECK;
/* The same, but what it makes last is its owner's alone; one that exists stays as it
 * is. */
struct error *dir_make_private(const char *path) MUST_CHECK;
/* Removes a tree; links are removed, not followed; absent is fine. */
struct error *dir_remove(const char *path) MUST_CHECK;
/* The tree becomes this user's and the group's of that number; links are not
 * followed. uid 0: all stays as it is. */
struct error *dir_hand_over(const char *path, uid_t uid) MUST_CHECK;
/* A fresh private folder "<under>/<prefix>XXXXXX"; free() disposes of *out. */
struct error *dir_make_temp(char **out, const char *under,
			    const char *prefix) MUST_CHECK;
bool file_exists(const char *path);
/* A program that comes with this one: of FOLDER/bin/avogit the one in
 * FOLDER/libexec/avogit, else in libexec/avogit beside it. NULL if there is
 * none; free() disposes. */
char *file_carried(const char *name) MUST_CHECK;
/* What lies in FOLDER, of FOLDER/bin/avogit; NULL and free() as above. */
char *file_carried_beside(const char *name) MUST_CHECK;
static inline void cleanup_dir_fn(DIR **d)
{
	if (*d)
		closedir(*d);
}
#define cleanup_dir CLEANUP(dir)
/* A memfd holding these bytes, read offset at 0; sealed against every change
 * if `sealed`. The caller closes. */
struct error *memfd_with(int *out, const char *name, const void *data,
			 size_t len, bool sealed) MUST_CHECK;
/* A memfd with the first `bytes` of another file, which no lock, position or
 * time stamp of that one reaches; not sealed. The caller closes. */
struct error *memfd_copy(int *out, const char *name, int from,
			 size_t bytes) MUST_CHECK;
struct error *write_all(int fd, const void *data, size_t len) MUST_CHECK;

#endif
