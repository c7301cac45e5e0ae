/*
 * Objects by key, one file each: the SHA-256 of what follows in hex, a
 * newline, the length of the object in 16 digits of hex, a newline, the
 * object, the compiler's log. A file that does not match its own first line is
 * ignored, so nothing is synced and a crash leaves nothing to repair. Now and
 * then the oldest files are removed.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/random.h"
#include "scorer/build/internal.h"

#define SUM_LEN	      (HASH_HEX_LEN + 1)
#define SIZE_LEN      17
#define HEADER_LEN    (SUM_LEN + SIZE_LEN)
#define FILE_LIMIT    (HEADER_LEN + BUILD_OBJECT_LIMIT + BUILD_LOG_LIMIT + 4096)
#define CACHE_SECONDS ((time_t)30 * 86400)
/* One store in so many removes old files. */
#define SWEEP_EVERY 256

static void digest(char out[HASH_HEX_LEN + 1], const void *data, size_t len)
{
	struct hash *h = hash_new();

	hash_add(h, data, len);
	hash_finish(out, h);
}

/* The length of the object in an intact file; 0: the file is damaged. */
static size_t check(const struct buf *file)
{
	char hex[HASH_HEX_LEN + 1];
	char *end;
	unsigned long long len;

	if (file->len <= HEADER_LEN || file->data[HASH_HEX_LEN] != '\n')
		return 0;
	digest(hex, file->data + SUM_LEN, file->len - SUM_LEN);
	if (memcmp(hex, file->data, HASH_HEX_LEN) != 0)
		return 0;
	len = strtoull(file->data + SUM_LEN, &end, 16);
	if (end != file->data + HEADER_LEN - 1 || *end != '\n' ||
	    len > file->len - HEADER_LEN)
		return 0;
	return (size_t)len;
}

bool build_cache_load(int *object_fd, char **log, const char *dir,
		      const char *key)
{
	cleanup_buf struct buf file = BUF_INIT(FILE_LIMIT);
	cleanup_free char *path = xasprintf("%s/%s", dir, key);
	cleanup_error struct error *err = file_read(&file, path);
	size_t len = err ? 0 : check(&file);

	if (!len)
		return false;
	err = memfd_with(object_fd, "object", file.data + HEADER_LEN, len,
			 true);
	if (err)
		return false;
	*log = xstrdup(file.data + HEADER_LEN + len);
	utimensat(AT_FDCWD, path, NULL, 0); /* the oldest are removed */
	return true;
}

static struct error *make_file(struct buf *file, int object_fd, const char *log)
{
	cleanup_buf struct buf body = BUF_INIT(FILE_LIMIT);
	cleanup_free char *data = NULL;
	char hex[HASH_HEX_LEN + 1];
	struct stat st;
	size_t len;

	if (fstat(object_fd, &st) < 0)
		return error_errno("cannot read the object");
	len = (size_t)st.st_size;
	data = xcalloc(len, 1);
	if (pread(object_fd, data, len, 0) != (ssize_t)len)
		return error_new(ERROR_SYSTEM, "cannot read the object");
	buf_addf(&body, "%016zx\n", len);
	buf_add(&body, data, len);
	buf_adds(&body, log);
	digest(hex, body.data, body.len);
	buf_addf(file, "%s\n", hex);
	buf_add(file, body.data, body.len);
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

struct error *build_cache_store(const char *dir, const char *key, int object_fd,
				const char *log)
{
	cleanup_buf struct buf file = BUF_INIT(FILE_LIMIT);
	cleanup_free char *path = xasprintf("%s/%s", dir, key);
	cleanup_free char *fresh = NULL;
	char suffix[9];

	TRY(make_file(&file, object_fd, log));
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
