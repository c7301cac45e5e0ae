#include "agent/tools/tar.h"

#define BLOCK 512

struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8];
	char type;
	char link[100], magic[6], version[2], user[32], group[32];
	char major[8], minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a block");

static struct error *damaged(const char *what)
{
	return error_new(ERROR_MALFORMED, "the archive is damaged: %s", what);
}

/* Octal digits, then blanks or NULs. */
static bool octal(uint64_t *out, const char *field, size_t size)
{
	uint64_t v = 0;
	size_t i = 0;

	while (i < size && field[i] == ' ')
		i++;
	for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
		v = v << 3 | (uint64_t)(field[i] - '0');
	if (i < size && field[i] && field[i] != ' ')
		return false;
	*out = v;
	return true;
}

static bool sum_is_right(const struct header *h)
{
	const unsigned char *p = (const unsigned char *)h;
	size_t from = offsetof(struct header, sum);
	uint64_t sum = 0, said;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= from && i < from + sizeof h->sum ? ' ' : p[i];
	return octal(&said, h->sum, sizeof h->sum) && sum == said;
}

static bool is_end(const struct header *h)
{
	const char *p = (const char *)h;

	for (size_t i = 0; i < BLOCK; i++)
		if (p[i])
			return false;
	return true;
}

static char *path_of(const struct header *h)
{
	cleanup_free char *prefix = xstrndup(h->prefix, sizeof h->prefix);
	cleanup_free char *name = xstrndup(h->name, sizeof h->name);
	cleanup_free char *path =
		xasprintf("%s%s%s", prefix, *prefix ? "/" : "", name);

	return xstrdup(starts_with(path, "./") ? path + 2 : path);
}

static struct error *take(struct fileset *out, const struct header *h,
			  const char *data, size_t size,
			  const struct strvec *patterns)
{
	cleanup_free char *path = path_of(h);
	uint64_t mode = 0;

	if ((h->type != '0' && h->type != '\0') || !path_is_safe(path) ||
	    !path_matches(path, patterns))
		return NULL;
	if (!octal(&mode, h->mode, sizeof h->mode))
		return damaged("a mode is not a number");
	return fileset_put(out, path, data, size, mode & 0100);
}

struct error *tar_read(struct fileset *out, const char *data, size_t len,
		       const struct strvec *patterns)
{
	for (size_t at = 0; len - at >= BLOCK;) {
		struct header h;
		uint64_t size;

		memcpy(&h, data + at, sizeof h);
		at += BLOCK;
		if (is_end(&h))
			return NULL;
		if (!sum_is_right(&h) || !octal(&size, h.size, sizeof h.size))
			return damaged("a header is wrong");
		if (size > len - at)
			return damaged("it ends in the middle of a file");
		TRY(take(out, &h, data + at, (size_t)size, patterns));
		size = (size + BLOCK - 1) / BLOCK * BLOCK;
		at += MIN((size_t)size, len - at);
	}
	return damaged("its end is missing");
}
