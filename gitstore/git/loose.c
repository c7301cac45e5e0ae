#include "gitstore/git/loose.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <git2/sys/odb_backend.h>
#if __has_include(<git2/sys/errors.h>)
#include <git2/sys/errors.h>
#endif
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/hash.h"

/* In libgit2 packs have 2, loose objects 1; of equals the one added last comes
 * last. So packs are tried first, and then loose objects here. */
#define PRIORITY 2
/* The longest header: "commit 18446744073709551615" and its NUL. */
#define HEADER_MAX 32
/* deflate makes at most 1032 bytes out of one. */
#define RATIO_MAX	1040
#define ALTERNATES_MAX	((size_t)1 << 20)
#define ALTERNATES_DEEP 5

const char loose_mend[] =
	"remove that file and bring the object from a clone that has it: `git "
	"-C CLONE pack-objects --revs --all --stdout </dev/null | git "
	"unpack-objects`";

struct loose {
	git_odb_backend backend; /* first: callbacks cast it back */
	struct strvec folder;	 /* ".../objects", then its alternates */
};

/* ---- one file ------------------------------------------------------------ */

struct object {
	char *path;
	char *bytes; /* as on the disk */
	size_t len;
	git_object_t type;
	size_t size;	    /* according to the header */
	size_t header_size; /* including its NUL */
};

static void object_release(struct object *o)
{
	free(o->path);
	free(o->bytes);
}
DEFINE_RELEASE(object, struct object, object_release)
#define cleanup_object CLEANUP(object)

static int damaged(const struct object *o, const char *why)
{
	cleanup_free char *text =
		xasprintf("the object's file %s is damaged (%s)", o->path, why);

	git_error_set_str(GIT_ERROR_ODB, text);
	return GIT_ERROR;
}

static int unreadable(const struct object *o)
{
	cleanup_free char *text =
		xasprintf("cannot read %s: %s", o->path, strerror(errno));

	git_error_set_str(GIT_ERROR_OS, text);
	return GIT_ERROR;
}

/* Does not wait if a pipe is in the place of a file. */
static int open_file(int *fd, struct stat *st, const struct object *o)
{
	*fd = open(o->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? GIT_ENOTFOUND
							   : unreadable(o);
	if (fstat(*fd, st) < 0)
		return unreadable(o);
	return S_ISREG(st->st_mode) ? 0
				    : damaged(o, "it is not a regular file");
}

static int read_bytes(struct object *o, size_t most)
{
	cleanup_fd int fd = -1;
	struct stat st;
	int rc = open_file(&fd, &st, o);
	size_t want;

	if (rc < 0)
		return rc;
	want = MIN((size_t)st.st_size, most);
	o->bytes = xrealloc(NULL, want + 1, 1);
	while (o->len < want) {
		ssize_t n = read(fd, o->bytes + o->len, want - o->len);

		if (n < 0 && errno != EINTR)
			return unreadable(o);
		if (n == 0)
			break;
		o->len += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* ---- inflating ----------------------------------------------------------- */

static void stream_end(z_stream *z)
{
	inflateEnd(z);
}
DEFINE_RELEASE(z_stream, z_stream, stream_end)

static int stream_begin(z_stream *z, const struct object *o)
{
	*z = (z_stream){.next_in = (Bytef *)o->bytes,
			.avail_in = (uInt)MIN(o->len, (size_t)UINT_MAX)};
	if (inflateInit(z) == Z_OK)
		return 0;
	git_error_set_str(GIT_ERROR_ZLIB, "cannot start zlib");
	return GIT_ERROR;
}

/* Fills `out`. Z_STREAM_END at the end of the stream, Z_OK if `out` is full,
 * else an error. */
static int inflate_to(z_stream *z, const struct object *o, void *out,
		      size_t size, size_t *done)
{
	int rc = Z_OK;

	*done = 0;
	while (rc == Z_OK && *done < size) {
		size_t room = MIN(size - *done, (size_t)UINT_MAX);
		size_t read = (size_t)(z->next_in - (Bytef *)o->bytes);

		z->avail_in = (uInt)MIN(o->len - read, (size_t)UINT_MAX);
		z->next_out = (Bytef *)out + *done;
		z->avail_out = (uInt)room;
		rc = inflate(z, Z_NO_FLUSH);
		*done += room - z->avail_out;
	}
	return rc;
}

/* Reads "TYPE SIZE" and NUL at the beginning of the inflated bytes. */
static bool parse_header(struct object *o, const char *head, size_t len)
{
	const char *nul = memchr(head, '\0', len);
	const char *space = nul ? strchr(head, ' ') : NULL;
	cleanup_free char *type = NULL;
	unsigned long long size;
	char *end;

	if (!space || space[1] < '0' || space[1] > '9')
		return false;
	type = xstrndup(head, (size_t)(space - head));
	errno = 0;
	size = strtoull(space + 1, &end, 10);
	o->type = git_object_string2type(type);
	o->size = (size_t)size;
	o->header_size = (size_t)(nul - head) + 1;
	return !errno && end == nul && git_object_typeisloose(o->type) &&
	       size < SIZE_MAX / 2;
}

static const char *why_of(int rc)
{
	return rc == Z_BUF_ERROR || rc == Z_OK
		       ? "it is cut short"
		       : "it is not an object that zlib can inflate";
}

static int inflate_header(struct object *o, z_stream *z, char head[HEADER_MAX],
			  size_t *got)
{
	int rc = inflate_to(z, o, head, HEADER_MAX, got);

	if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
		return damaged(o, why_of(rc));
	if (parse_header(o, head, *got))
		return 0;
	return damaged(o, *got < HEADER_MAX && rc != Z_STREAM_END
				  ? why_of(rc)
				  : "it has no header of an object");
}

/* The verdict after the stream stopped with rc, `total` bytes after the
 * header. */
static int judge_end(const struct object *o, const z_stream *z, int rc,
		     size_t total)
{
	if (total > o->size)
		return damaged(o, "it is longer than its header says");
	if (rc != Z_STREAM_END)
		return damaged(o, why_of(rc));
	if (total < o->size)
		return damaged(o, "it is shorter than its header says");
	if ((size_t)(z->next_in - (Bytef *)o->bytes) != o->len)
		return damaged(o, "something follows its end");
	return 0;
}

static int inflate_body(char *data, struct object *o, z_stream *z,
			const char *head, size_t got)
{
	size_t total = got - o->header_size, more = 0;
	char end;
	int rc = Z_OK;

	memcpy(data, head + o->header_size, MIN(total, o->size));
	if (total < o->size)
		rc = inflate_to(z, o, data + total, o->size - total, &more);
	total += more;
	/* The checksum at the end has not been read yet. */
	if (rc == Z_OK && total == o->size) {
		rc = inflate_to(z, o, &end, 1, &more);
		total += more;
	}
	return judge_end(o, z, rc, total);
}

static int inflate_all(char **out, struct object *o, git_odb_backend *backend)
{
	CLEANUP(z_stream) z_stream z;
	char head[HEADER_MAX] = "", *data;
	size_t got;
	int rc = stream_begin(&z, o);

	if (rc == 0)
		rc = inflate_header(o, &z, head, &got);
	if (rc < 0)
		return rc;
	if (o->size / RATIO_MAX > o->len)
		return damaged(o, "it is shorter than its header says");
	data = git_odb_backend_data_alloc(backend, o->size + 1);
	if (!data)
		return GIT_ERROR;
	data[o->size] = '\0';
	rc = inflate_body(data, o, &z, head, got);
	if (rc < 0)
		git_odb_backend_data_free(backend, data);
	else
		*out = data;
	return rc;
}

/* ---- the backend --------------------------------------------------------- */

static char *path_in(const char *folder, const git_oid *id)
{
	char hex[GIT_OID_HEXSZ + 1];

	git_oid_tostr(hex, sizeof hex, id);
	return xasprintf("%s/%.2s/%s", folder, hex, hex + 2);
}

/* From the first folder that has it. */
static int find_bytes(struct object *o, const struct loose *l,
		      const git_oid *id, size_t most)
{
	int rc = GIT_ENOTFOUND;

	for (size_t i = 0; i < l->folder.n && rc == GIT_ENOTFOUND; i++) {
		free(o->path);
		o->path = path_in(l->folder.v[i], id);
		rc = read_bytes(o, most);
	}
	return rc;
}

static int loose_read(void **data, size_t *len, git_object_t *type,
		      git_odb_backend *backend, const git_oid *id)
{
	cleanup_object struct object o = {.path = NULL};
	char *bytes = NULL;
	int rc = find_bytes(&o, (struct loose *)backend, id, SIZE_MAX);

	if (rc == 0)
		rc = inflate_all(&bytes, &o, backend);
	if (rc != 0)
		return rc;
	*data = bytes;
	*len = o.size;
	*type = o.type;
	return 0;
}

static int loose_read_header(size_t *len, git_object_t *type,
			     git_odb_backend *backend, const git_oid *id)
{
	cleanup_object struct object o = {.path = NULL};
	CLEANUP(z_stream) z_stream z = {0};
	char head[HEADER_MAX] = "";
	size_t got;
	int rc = find_bytes(&o, (struct loose *)backend, id, 4096);

	if (rc == 0)
		rc = stream_begin(&z, &o);
	if (rc == 0)
		rc = inflate_header(&o, &z, head, &got);
	if (rc < 0)
		return rc;
	*len = o.size;
	*type = o.type;
	return 0;
}

/* Finds the names in `folder`/xx that begin as `hex` does; GIT_EAMBIGUOUS if
 * they differ. */
static int find_in(git_oid *out, bool *found, const char *folder,
		   const char *hex, size_t len)
{
	cleanup_free char *dir = xasprintf("%s/%.2s", folder, hex);
	DIR *d = opendir(dir);
	int rc = 0;

	for (struct dirent *e; d && rc == 0 && (e = readdir(d));) {
		cleanup_free char *full = xasprintf("%.2s%s", hex, e->d_name);
		git_oid id;

		if (strlen(full) != GIT_OID_HEXSZ ||
		    memcmp(full, hex, len) != 0 ||
		    git_oid_fromstr(&id, full) < 0)
			continue;
		if (*found && !git_oid_equal(&id, out))
			rc = GIT_EAMBIGUOUS;
		*found = true;
		*out = id;
	}
	if (d)
		closedir(d);
	return rc;
}

static int loose_read_prefix(git_oid *out, void **data, size_t *len,
			     git_object_t *type, git_odb_backend *backend,
			     const git_oid *prefix, size_t hex_len)
{
	const struct loose *l = (struct loose *)backend;
	char hex[GIT_OID_HEXSZ + 1];
	bool found = false;
	git_oid id = {{0}};
	int rc = 0;

	git_oid_tostr(hex, sizeof hex, prefix);
	for (size_t i = 0; i < l->folder.n && rc == 0; i++)
		rc = find_in(&id, &found, l->folder.v[i], hex, hex_len);
	if (rc == GIT_EAMBIGUOUS)
		git_error_set_str(GIT_ERROR_ODB, "several objects begin so");
	if (rc < 0 || !found)
		return rc < 0 ? rc : GIT_ENOTFOUND;
	*out = id;
	return loose_read(data, len, type, backend, &id);
}

static void loose_free(git_odb_backend *backend)
{
	struct loose *l = (struct loose *)backend;

	strvec_release(&l->folder);
	free(l);
}

/* ---- the folders of objects -------------------------------------------- */

static void add_folder(struct strvec *out, const char *folder, int depth);

/* One path per line, relative to the folder of objects that has the file. */
static void add_alternates(struct strvec *out, const char *folder, int depth)
{
	cleanup_free char *path = xasprintf("%s/info/alternates", folder);
	cleanup_buf struct buf text = BUF_INIT(ALTERNATES_MAX);
	cleanup_error struct error *err = file_read(&text, path);
	char *save = NULL;

	if (err)
		return;
	for (char *line = strtok_r(text.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		cleanup_free char *other =
			*line == '/' ? xstrdup(line)
				     : xasprintf("%s/%s", folder, line);

		if (*line != '#')
			add_folder(out, other, depth + 1);
	}
}

static void add_folder(struct strvec *out, const char *folder, int depth)
{
	if (depth > ALTERNATES_DEEP || strvec_has(out, folder))
		return;
	strvec_push(out, folder);
	add_alternates(out, folder, depth);
}

char *loose_folder(git_repository *repo)
{
	const char *named = getenv("GIT_OBJECT_DIRECTORY");

	if (named && *named && getenv("GIT_DIR"))
		return xstrdup(named);
	return xasprintf("%sobjects", git_repository_commondir(repo));
}

struct error *loose_guard(git_repository *repo, git_odb *odb)
{
	cleanup_free char *folder = loose_folder(repo);
	/* held: git takes it, or loose_free at the end */
	struct loose *l = xcalloc(1, sizeof *l);

	l->backend = (git_odb_backend){
		.version = GIT_ODB_BACKEND_VERSION,
		.read = loose_read,
		.read_prefix = loose_read_prefix,
		.read_header = loose_read_header,
		.free = loose_free,
	};
	l->folder = (struct strvec)STRVEC_INIT;
	add_folder(&l->folder, folder, 0);
	if (git_odb_add_backend(odb, &l->backend, PRIORITY) == 0)
		return NULL;
	loose_free(&l->backend);
	return error_new(ERROR_REPO, "cannot look at the objects of %s",
			 folder);
}

/* ---- all of them --------------------------------------------------------- */

/* The contents are not kept: a file of a megabyte may hold a gigabyte. */
static int hash_body(struct hash *h, struct object *o, z_stream *z,
		     const char *head, size_t got)
{
	char chunk[1 << 16];
	size_t total = got - o->header_size;
	int rc = Z_OK;

	hash_add(h, head, got);
	while (rc == Z_OK && total <= o->size) {
		size_t more;

		rc = inflate_to(z, o, chunk, sizeof chunk, &more);
		hash_add(h, chunk, more);
		total += more;
	}
	return judge_end(o, z, rc, total);
}

static int hash_all(char id[HASH_HEX_LEN + 1], struct object *o)
{
	CLEANUP(z_stream) z_stream z;
	char head[HEADER_MAX] = "";
	struct hash *h;
	size_t got;
	int rc = stream_begin(&z, o);

	if (rc == 0)
		rc = inflate_header(o, &z, head, &got);
	if (rc < 0)
		return rc;
	h = hash_new_sha1();
	rc = hash_body(h, o, &z, head, got);
	hash_finish(id, h);
	return rc;
}

static void examine_file(struct strvec *out, const char *path, const char *id)
{
	cleanup_object struct object o = {.path = xstrdup(path)};
	char is[HASH_HEX_LEN + 1];
	int rc = read_bytes(&o, SIZE_MAX);

	if (rc == 0)
		rc = hash_all(is, &o);
	if (rc == 0 && !str_eq(is, id))
		rc = damaged(&o, "it holds another object than its name says");
	if (rc < 0 && rc != GIT_ENOTFOUND)
		strvec_push(out, git_error_last()->message);
}

static void examine_folder(struct strvec *out, size_t *n, const char *folder,
			   unsigned first)
{
	cleanup_free char *dir = xasprintf("%s/%02x", folder, first);
	DIR *d = opendir(dir);

	for (struct dirent *e; d && (e = readdir(d));) {
		cleanup_free char *path = xasprintf("%s/%s", dir, e->d_name);
		cleanup_free char *id = xasprintf("%02x%s", first, e->d_name);

		if (strlen(e->d_name) != GIT_OID_HEXSZ - 2 ||
		    strspn(e->d_name, "0123456789abcdef") != GIT_OID_HEXSZ - 2)
			continue;
		examine_file(out, path, id);
		(*n)++;
	}
	if (d)
		closedir(d);
}

void loose_examine(struct strvec *out, size_t *n, git_repository *repo)
{
	cleanup_free char *folder = loose_folder(repo);

	*n = 0;
	for (unsigned i = 0; i < 256; i++)
		examine_folder(out, n, folder, i);
}
