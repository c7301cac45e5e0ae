/*
 * Files below one folder whose contents another process may change while they
 * are read: an agent's workspace. Every path is relative and safe (fileset.h),
 * every folder on the way is opened without following a link, and only regular
 * files are read or replaced.
 *
 * What is wrong with a path or a file is ERROR_NOT_FOUND, ERROR_REFUSED or
 * ERROR_TOO_BIG, in words an agent can mend; all else is the machine's.
 */
#ifndef AGENT_TOOLS_FOLDER_H
#define AGENT_TOOLS_FOLDER_H

#include <sys/types.h>

#include "core/base/buf.h"

/* Clears *out first. Larger than its limit is ERROR_TOO_BIG. */
struct error *folder_read(struct buf *out, const char *dir,
			  const char *path) MUST_CHECK;
/* Replaces the file at once, or makes it, with the folders above it. The mode
 * of one that is there is kept, and a file of root's becomes the folder's
 * owner's. What is there and no regular file is ERROR_REFUSED. */
struct error *folder_write(const char *dir, const char *path, const void *data,
			   size_t len, bool executable) MUST_CHECK;
/* One that is not there is fine. */
struct error *folder_remove(const char *dir, const char *path) MUST_CHECK;

struct folder_item {
	char *path;
	off_t size;
	mode_t mode; /* of stat(2): entries that are not regular files are there too */
};
struct folder_list {
	struct folder_item
		*item; /* by path; folders themselves are not there */
	size_t n, cap;
	bool truncated; /* there are more than FOLDER_LIST_MAX, or too deep */
};
#define FOLDER_LIST_MAX 10000
#define FOLDER_DEPTH	32
/* All below `path`, a folder; "" for `dir` itself. Names that are not safe
 * paths, and what is called .git, are left out. */
struct error *folder_list(struct folder_list *out, const char *dir,
			  const char *path) MUST_CHECK;
void folder_list_release(struct folder_list *l);
/* Is it a folder? False too where there is nothing. */
bool folder_is_folder(const char *dir, const char *path);

DEFINE_RELEASE(folder_list, struct folder_list, folder_list_release)
#define cleanup_folder_list CLEANUP(folder_list)

#endif
