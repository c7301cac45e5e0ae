/*
 * Objects by key, one file each: the SHA-256 of the object in hex, a newline,
 * the object. A file that does not match its own first line is as good as
 * none, so nothing need be synced and a crash leaves nothing to mend. Now and
 * then the oldest are removed.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/file.h"
#include "core/random.h"
#include "scorer/build_internal.h"

#define HEADER_LEN    (HASH_HEX_LEN + 1)
#define CACHE_SECONDS ((time_t)30 * 86400)
/* One store in so many looks for what is old. */
#define SWEEP_EVERY 256

static void digest(char out[HASH_HEX_LEN + 1], const void *data, size_t len)
{
	struct hash *h = hash_new();

	hash_add(h, data, len);
	hash_finish(out, h);
}

bool build_cache_load(int *object_fd, const char *dir, const char *key)
{
	cleanup_buf struct buf file = BUF_INIT(BUILD_OBJECT_LIMIT + HEADER_LEN);
	cleanup_free char *path = xasprintf("%s/%s", dir, key);
	cleanup_error struct error *err = file_read(&file, path);
	char hex[HASH_HEX_LEN + 1];

	if (err || file.len <= HEADER_LEN || file.data[HASH_HEX_LEN] != '\n')
		return false;
	digest(hex, file.data + HEADER_LEN, file.len - HEADER_LEN);
	if (memcmp(hex, file.data, HASH_HEX_LEN) != 0)
		return false;
	err = memfd_with(object_fd, "object", file.data + HEADER_LEN,
			 file.len - HEADER_LEN, true);
	if (!err) /* young again */
		utimensat(AT_FDCWD, path, NULL, 0);
	return !err;
}

static struct error *read_object(struct buf *file, int object_fd)
{
	char hex[HASH_HEX_LEN + 1];
	cleanup_free char *data = NULL;
	struct stat st;
	size_t len;

	if (fstat(object_fd, &st) < 0)
		return error_errno("cannot read the object");
	len = (size_t)st.st_size;
	data = xcalloc(len, 1);
	if (pread(object_fd, data, len, 0) != (ssize_t)len)
		return error_new(ERROR_SYSTEM, "cannot read the object");
	digest(hex, data, len);
	buf_addf(file, "%s\n", hex);
	buf_add(file, data, len);
	return NULL;
}

static void sweep(const char *dir)
{
	DIR *d = opendir(dir);
	time_t oldest = time(NULL) - CACHE_SECONDS;
	struct dirent *entry;
	struct stat st;

	while (d && (entry = readdir(d)))
		if (fstatat(dirfd(d), entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && st.st_mtime < oldest)
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
}

struct error *build_cache_store(const char *dir, const char *key, int object_fd)
{
	cleanup_buf struct buf file = BUF_INIT(BUILD_OBJECT_LIMIT + HEADER_LEN);
	cleanup_free char *path = xasprintf("%s/%s", dir, key);
	cleanup_free char *fresh = NULL;
	char suffix[9];

	TRY(read_object(&file, object_fd));
	random_hex(suffix, 8);
	fresh = xasprintf("%s.%s", path, suffix);
	TRY(file_write(fresh, file.data, file.len, false));
	if (rename(fresh, path) < 0) {
		unlink(fresh);
		return error_errno("%s", path);
	}
	if (strtoul(suffix, NULL, 16) % SWEEP_EVERY == 0)
		sweep(dir);
	return NULL;
}
