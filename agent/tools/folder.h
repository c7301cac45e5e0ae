/*
 * Files below a folder that another process, such as an agent, may change while
 * they are read. Every path is relative and safe (fileset.h). Each folder on
 * the way is opened without following links, and only regular files are read or
 * replaced.
 *
 * A fault of a path or file is ERROR_NOT_FOUND, ERROR_REFUSED or ERROR_TOO_BIG,
 * in words that help an agent to correct it; other errors are the machine's.
 */
#ifndef AGENT_TOOLS_FOLDER_H
#define AGENT_TOOLS_FOLDER_H

#include <sys/types.h>

#include "core/base/buf.h"

/* Clears *out first. ERROR_TOO_BIG if the file exceeds the buffer's limit. */
struct error *folder_read(struct buf *out, const char *dir,
			  const char *path) MUST_CHECK;
/* Replaces the file by rename, or creates it and the folders above it. A
 * replaced file keeps its mode; root's process gives the file to the folder's
 * owner. ERROR_REFUSED if the path exists and is not a regular file. */
struct error *folder_write(const char *dir, const char *path, const void *data,
			   size_t len, bool executable) MUST_CHECK;
/* Success if the file does not exist. */
struct error *folder_remove(const char *dir, const char *path) MUST_CHECK;

struct folder_item {
	char *path;
	off_t size;
	mode_t mode; /* of stat(2): not only regular files are listed */
};
struct folder_list {
	struct folder_item *item; /* sorted by path; folders are not listed */
	size_t n, cap;
	bool truncated; /* more than FOLDER_LIST_MAX entries, or too deep */
};
#define FOLDER_LIST_MAX 10000
#define FOLDER_DEPTH	32
/* Lists everything below the folder `path`; "" means `dir`. Unsafe paths and
 * entries named .git are left out. */
struct error *folder_list(struct folder_list *out, const char *dir,
			  const char *path) MUST_CHECK;
void folder_list_release(struct folder_list *l);
/* False also if nothing exists there. */
bool folder_is_folder(const char *dir, const char *path);

DEFINE_RELEASE(folder_list, struct folder_list, folder_list_release)
#define cleanup_folder_list CLEANUP(folder_list)

#endif
