#include "agent/knowledge/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"

/* Changed whenever the same documents would give another index. */
#define FORMAT	    "avogit knowledge 1\n"
#define PREFIX	    "knowledge-"
#define NAMED	    16 /* digits of the key in a file's name */
#define KEPT	    6
#define HEADER_LEN  (sizeof FORMAT - 1 + 2 * (HASH_HEX_LEN + 1))
#define CACHE_LIMIT ((size_t)1 << 30)

void knowledge_key(char out[HASH_HEX_LEN + 1], const struct documents *d,
		   bool pdf)
{
	struct hash *h = hash_new();

	hash_adds(h, FORMAT);
	hash_adds(h, pdf ? "pdf" : "");
	for (size_t i = 0; i < d->n; i++) {
		uint64_t len = d->doc[i].len;

		hash_adds(h, d->doc[i].source);
		hash_add(h, &len, sizeof len);
		hash_add(h, d->doc[i].data, d->doc[i].len);
	}
	hash_finish(out, h);
}

/* What every good file of this key and these bytes begins with. */
static char *header(const char *key, const void *data, size_t len)
{
	struct hash *h = hash_new();
	char digest[HASH_HEX_LEN + 1];

	hash_adds(h, key);
	hash_add(h, data, len);
	hash_finish(digest, h);
	return xasprintf(FORMAT "%s\n%s\n", key, digest);
}

static char *path_of(const char *dir, const char *key)
{
	return xasprintf("%s/" PREFIX "%.*s", dir, NAMED, key);
}

bool knowledge_cache_get(struct buf *b, const char *dir, const char *key)
{
	cleanup_free char *path = path_of(dir, key);
	cleanup_free char *expected = NULL;
	struct error *err;

	buf_release(b);
	buf_init(b, CACHE_LIMIT);
	err = file_read(b, path);
	if (err || b->len <= HEADER_LEN) {
		error_free(err);
		return false;
	}
	expected = header(key, b->data + HEADER_LEN, b->len - HEADER_LEN);
	if (memcmp(b->data, expected, HEADER_LEN) != 0)
		return false;
	b->len -= HEADER_LEN;
	memmove(b->data, b->data + HEADER_LEN, b->len + 1);
	/* It was of use: among the newest from now on. */
	utimensat(AT_FDCWD, path, NULL, 0);
	return true;
}

struct cached_document {
	char *name;
	struct timespec used;
};

static int newest_first(const void *a, const void *b)
{
	const struct timespec *x = &((const struct cached_document *)a)->used;
	const struct timespec *y = &((const struct cached_document *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? 1 : -1;
	return x->tv_nsec < y->tv_nsec ? 1 : x->tv_nsec > y->tv_nsec ? -1 : 0;
}

static void remove_oldest(const char *dir)
{
	DIR *d = opendir(dir);
	struct cached_document *kept = NULL;
	size_t n = 0, cap = 0;
	const struct dirent *e;
	struct stat st;

	while (d && (e = readdir(d))) {
		if (!starts_with(e->d_name, PREFIX) ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		GROW(kept, n, cap);
		kept[n++] = (struct cached_document){xstrdup(e->d_name),
						     st.st_mtim};
	}
	if (n)
		qsort(kept, n, sizeof *kept, newest_first);
	for (size_t i = 0; i < n; i++) {
		if (i >= KEPT)
			unlinkat(dirfd(d), kept[i].name, 0);
		free(kept[i].name);
	}
	free(kept);
	if (d)
		closedir(d);
}

void knowledge_cache_put(const char *dir, const char *key, const void *data,
			 size_t len)
{
	cleanup_free char *path = path_of(dir, key);
	cleanup_free char *head = NULL;
	cleanup_buf struct buf file = BUF_INIT(CACHE_LIMIT);

	if (len > CACHE_LIMIT - HEADER_LEN)
		return;
	head = header(key, data, len);
	buf_adds(&file, head);
	buf_add(&file, data, len);
	error_free(file_write_private(path, file.data, file.len));
	remove_oldest(dir);
}
