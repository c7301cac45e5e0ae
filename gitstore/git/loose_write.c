/*
 * Writes objects that gain nothing by being deflated: a zlib stream of one
 * block that is stored as it is, which every git reads. What libgit2 does
 * instead takes a deflate state of 270 KB for each object, 60 us for 6 KB of ids,
 * which hardly shrink, and a link and an unlink in the place of a rename.
 */
#include <errno.h>
#include <fcntl.h>
#if __has_include(<git2/sys/errors.h>)
#include <git2/sys/errors.h>
#endif
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/file.h"
#include "core/base/random.h"
#include "gitstore/git/loose.h"

/* As git's and libgit2's; the umask applies. */
#define FILE_MODE 0444
#define DIR_MODE  0777
/* Around the block: zlib's header, the block's, and the checksum. */
#define BEFORE 7
#define AFTER  4
/* Of a stored block. */
#define BLOCK_MAX ((size_t)65535)
/* A file takes at least so much of most disks. */
#define DISK_BLOCK ((size_t)4096)
/* "commit 65535" and its NUL. */
#define HEADER_MAX 16

bool loose_is_stored(size_t len, git_object_t type)
{
	size_t most = type == GIT_OBJECT_TREE ? BLOCK_MAX
					      : DISK_BLOCK - BEFORE - AFTER;

	return len <= most - HEADER_MAX;
}

/* RFC 1950 and 1951. */
static void frame(struct buf *out, const struct buf *block)
{
	size_t len = block->len;
	uLong sum = adler32(1, (const Bytef *)block->data, (uInt)len);

	buf_add(out, "\x78\x01\x01", 3);
	buf_addc(out, (char)(len & 0xff));
	buf_addc(out, (char)(len >> 8));
	buf_addc(out, (char)(~len & 0xff));
	buf_addc(out, (char)(~len >> 8 & 0xff));
	buf_add(out, block->data, len);
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_addc(out, (char)(sum >> shift & 0xff));
}

static struct error *write_to(int fd, const char *path, const struct buf *bytes)
{
	struct error *err = write_all(fd, bytes->data, bytes->len);

	/* A full quota of a network's disk is told here. */
	if (close(fd) < 0 && !err)
		err = error_errno("cannot write");
	return error_wrap(err, "%s", path);
}

/* Makes the folder if it is missing: `git gc` removes one that is empty. */
static int open_new(const char *path, const char *folder)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	int fd = open(path, flags, FILE_MODE);

	for (int i = 0; i < 5 && fd < 0 && errno == ENOENT; i++)
		if (mkdir(folder, DIR_MODE) == 0 || errno == EEXIST)
			fd = open(path, flags, FILE_MODE);
	return fd;
}

/* Under a name that `git gc` and `git prune` remove if this process dies. One of
 * an earlier process of this number may lie there: then under a random one. */
static int open_temp(char **path, const char *folder, const char *name)
{
	char random[17];
	int fd;

	*path = xasprintf("%s/tmp_obj_%.16s%ld", folder, name, (long)getpid());
	fd = open_new(*path, folder);
	if (fd >= 0 || errno != EEXIST)
		return fd;
	free(*path);
	random_hex(random, 16);
	*path = xasprintf("%s/tmp_obj_%s", folder, random);
	return open_new(*path, folder);
}

static struct error *put_file(const char *folder, const char *name,
			      const struct buf *bytes)
{
	cleanup_free char *path = xasprintf("%s/%s", folder, name);
	cleanup_free char *temp = NULL;
	struct error *err;
	int fd = open_temp(&temp, folder, name);

	if (fd < 0)
		return error_errno("cannot create %s", temp);
	err = write_to(fd, temp, bytes);
	if (!err && rename(temp, path) < 0)
		err = error_errno("cannot create %s", path);
	if (err)
		unlink(temp);
	return err;
}

int loose_write(git_repository *repo, const git_oid *id, const void *data,
		size_t len, git_object_t type)
{
	cleanup_buf struct buf block = BUF_INIT(BLOCK_MAX);
	cleanup_buf struct buf bytes = BUF_INIT(BLOCK_MAX + BEFORE + AFTER);
	cleanup_error struct error *err = NULL;
	cleanup_free char *objects = loose_folder(repo);
	cleanup_free char *folder = NULL;
	char hex[GIT_OID_HEXSZ + 1];

	git_oid_tostr(hex, sizeof hex, id);
	folder = xasprintf("%s/%.2s", objects, hex);
	buf_addf(&block, "%s %zu", git_object_type2string(type), len);
	buf_addc(&block, '\0');
	buf_add(&block, data, len);
	frame(&bytes, &block);
	err = put_file(folder, hex + 2, &bytes);
	if (!err)
		return 0;
	git_error_set_str(GIT_ERROR_OS, error_message(err));
	return GIT_ERROR;
}
