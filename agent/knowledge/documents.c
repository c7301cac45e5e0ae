#include "agent/knowledge/documents.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"

#define MAX_DEPTH   32
#define MAX_ENTRIES 200000 /* examined for one pattern */
#define MAX_WHY	    8

static const struct {
	const char *suffix;
	enum document_kind kind;
} kinds[] = {
	{".md", DOCUMENT_MARKDOWN}, {".markdown", DOCUMENT_MARKDOWN},
	{".txt", DOCUMENT_TEXT},    {".rst", DOCUMENT_TEXT},
	{".html", DOCUMENT_HTML},   {".htm", DOCUMENT_HTML},
	{".xhtml", DOCUMENT_HTML},  {".pdf", DOCUMENT_PDF},
	{".c", DOCUMENT_SOURCE},    {".h", DOCUMENT_SOURCE},
	{".cu", DOCUMENT_SOURCE},   {".cuh", DOCUMENT_SOURCE},
	{".cc", DOCUMENT_SOURCE},   {".cpp", DOCUMENT_SOURCE},
	{".cxx", DOCUMENT_SOURCE},  {".hpp", DOCUMENT_SOURCE},
	{".ptx", DOCUMENT_SOURCE},  {".sass", DOCUMENT_SOURCE},
	{".s", DOCUMENT_SOURCE},    {".py", DOCUMENT_SOURCE},
	{".inl", DOCUMENT_SOURCE},
};

const char *document_kind_name(enum document_kind k)
{
	static const char *const names[] = {
		"markdown", "text", "source", "html", "pdf", "row",
	};

	return names[k];
}

static bool kind_of(enum document_kind *out, const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t n = strlen(kinds[i].suffix);

		if (len > n &&
		    strcasecmp(path + len - n, kinds[i].suffix) == 0) {
			*out = kinds[i].kind;
			return true;
		}
	}
	return false;
}

static void skip(struct documents *d, const char *path, const char *reason)
{
	d->skipped++;
	if (d->why.n < MAX_WHY)
		strvec_pushf(&d->why, "%s: %s", path, reason);
}

static size_t max_bytes(enum document_kind kind)
{
	return kind == DOCUMENT_PDF ? 4 * DOCUMENT_MAX_BYTES
				    : DOCUMENT_MAX_BYTES;
}

/* Is there room for `len` more bytes? If not, counts the file as skipped. */
static bool has_room(struct documents *d, const char *path,
		     enum document_kind kind, size_t len)
{
	if (len > max_bytes(kind))
		skip(d, path, "too large");
	else if (d->n >= DOCUMENTS_MAX || d->bytes > DOCUMENTS_MAX_BYTES - len)
		skip(d, path, "the knowledge base is full");
	else
		return true;
	return false;
}

/* Takes `data`. */
static void put(struct documents *d, const char *source,
		enum document_kind kind, char *data, size_t len)
{
	GROW(d->doc, d->n, d->cap);
	d->doc[d->n++] = (struct document){xstrdup(source), kind, data, len};
	d->bytes += len;
}

static int by_source(const void *a, const void *b)
{
	const struct document *x = a, *y = b;

	return strcmp(x->source, y->source);
}

/* Sorts by source and removes documents that two patterns named. */
static void sort(struct documents *d)
{
	size_t n = 0;

	if (d->n)
		qsort(d->doc, d->n, sizeof *d->doc, by_source);
	for (size_t i = 0; i < d->n; i++) {
		if (n && str_eq(d->doc[n - 1].source, d->doc[i].source)) {
			d->bytes -= d->doc[i].len;
			free(d->doc[i].source);
			free(d->doc[i].data);
		} else {
			d->doc[n++] = d->doc[i];
		}
	}
	d->n = n;
}

/* ---- embedded notes ------------------------------------------------------ */

/* Data of notes_image.S: NAME NUL, TEXT NUL, and so on up to an empty name. */
extern const char notes_image[];

void documents_add_notes(struct documents *d)
{
	for (const char *p = notes_image; *p;) {
		const char *name = p, *text = p + strlen(p) + 1;
		size_t len = strlen(text);
		cleanup_free char *source = xasprintf(DOCUMENT_OWN "%s", name);

		put(d, source, DOCUMENT_MARKDOWN, xstrndup(text, len), len);
		p = text + len + 1;
	}
	sort(d);
}

/* ---- files in memory ---------------------------------------------------- */

void documents_add_files(struct documents *d, const struct fileset *files)
{
	for (size_t i = 0; i < files->n; i++) {
		const struct file_entry *f = &files->file[i];
		enum document_kind kind;
		char *data;

		if (!kind_of(&kind, f->path) ||
		    !has_room(d, f->path, kind, f->len))
			continue;
		data = xcalloc(f->len + 1, 1);
		if (f->len)
			memcpy(data, f->data, f->len);
		put(d, f->path, kind, data, f->len);
	}
	sort(d);
}

/* ---- files of a folder -------------------------------------------------- */

struct documents_walk {
	struct documents *into;
	const struct strvec *pattern; /* a single pattern; NULL: every file */
	size_t entries;
};

/* Reads at most *len bytes, the size from fstat; sets *len to those read. */
static bool read_all(int fd, char *data, size_t *len)
{
	size_t done = 0;

	while (done < *len) {
		ssize_t n = read(fd, data + done, *len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	*len = done;
	return true;
}

static void read_file(struct documents *d, int dir, const char *name,
		      const char *path, enum document_kind kind)
{
	cleanup_fd int fd = openat(dir, name,
				   O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
					   O_NONBLOCK | O_NOCTTY);
	cleanup_free char *data = NULL;
	struct stat st;
	size_t len;

	if (fd < 0 || fstat(fd, &st) < 0) {
		skip(d, path, errno == ELOOP ? "a link" : strerror(errno));
		return;
	}
	if (!S_ISREG(st.st_mode)) {
		skip(d, path, "not a regular file");
		return;
	}
	len = (size_t)st.st_size;
	if (!has_room(d, path, kind, len))
		return;
	data = xcalloc(len + 1, 1);
	if (read_all(fd, data, &len))
		put(d, path, kind, steal(&data), len);
	else
		skip(d, path, strerror(errno));
}

static void walk_dir(struct documents_walk *w, int fd, const char *prefix,
		     unsigned depth);

static void walk_entry(struct documents_walk *w, int dir, const char *name,
		       const char *path, unsigned depth)
{
	enum document_kind kind;
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (S_ISDIR(st.st_mode)) {
		int sub =
			openat(dir, name,
			       O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (sub < 0)
			skip(w->into, path, strerror(errno));
		else
			walk_dir(w, sub, path, depth + 1);
	} else if (kind_of(&kind, path) &&
		   (!w->pattern || path_matches(path, w->pattern))) {
		read_file(w->into, dir, name, path, kind);
	}
}

/* Takes fd. */
static void walk_dir(struct documents_walk *w, int fd, const char *prefix,
		     unsigned depth)
{
	CLEANUP(dir) DIR *d = fdopendir(fd);
	const struct dirent *e;

	if (!d) {
		close(fd);
		return;
	}
	if (depth > MAX_DEPTH) {
		skip(w->into, prefix, "folders nest too deep");
		return;
	}
	while ((e = readdir(d))) {
		cleanup_free char *path = NULL;

		if (*e->d_name == '.')
			continue;
		if (w->entries++ == MAX_ENTRIES)
			skip(w->into, prefix, "too many files");
		if (w->entries > MAX_ENTRIES)
			return;
		path = xasprintf("%s%s%s", prefix, *prefix ? "/" : "",
				 e->d_name);
		if (path_is_safe(path))
			walk_entry(w, dirfd(d), e->d_name, path, depth);
	}
}

/* Opens the folder `path` below `top` part by part, following no links. */
static int open_below(int top, const char *path)
{
	cleanup_fd int fd =
		openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cleanup_free char *parts = xstrdup(path);
	char *save = NULL;

	for (char *p = strtok_r(parts, "/", &save); p && fd >= 0;
	     p = strtok_r(NULL, "/", &save)) {
		int next = openat(
			fd, p, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		close(fd);
		fd = next;
	}
	return steal_fd(&fd);
}

/* The folder part of a pattern before its first wild card. */
static char *literal_folder(const char *pattern)
{
	size_t len = strcspn(pattern, "*?[");

	while (len && pattern[len - 1] != '/')
		len--;
	return xstrndup(pattern, len ? len - 1 : 0);
}

/* Adds what a path without wild cards names: a folder or a file. */
static void add_literal(struct documents *d, int top, const char *path)
{
	cleanup_free char *folder = literal_folder(path);
	cleanup_fd int fd = open_below(top, path);
	struct documents_walk w = {.into = d};
	const char *slash = strrchr(path, '/');
	enum document_kind kind;

	if (fd >= 0) {
		cleanup_free char *prefix =
			xstrndup(path, strlen(path) - ends_with(path, "/"));

		walk_dir(&w, steal_fd(&fd), prefix, 0);
		return;
	}
	fd = open_below(top, folder);
	if (fd < 0)
		skip(d, path, strerror(errno));
	else if (!kind_of(&kind, path))
		skip(d, path, "no folder, and no kind of document");
	else
		read_file(d, fd, slash ? slash + 1 : path, path, kind);
}

static void add_pattern(struct documents *d, int top,
			const struct strvec *pattern)
{
	cleanup_free char *folder = literal_folder(pattern->v[0]);
	cleanup_fd int fd = open_below(top, folder);
	struct documents_walk w = {.into = d, .pattern = pattern};

	if (fd < 0)
		skip(d, pattern->v[0], strerror(errno));
	else
		walk_dir(&w, steal_fd(&fd), folder, 0);
}

struct error *documents_add_tree(struct documents *d, const char *top,
				 const struct strvec *patterns)
{
	cleanup_fd int fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return error_errno("%s", top);
	for (size_t i = 0; i < patterns->n; i++) {
		const struct strvec one = {&patterns->v[i], 1, 0};

		if (strpbrk(one.v[0], "*?["))
			add_pattern(d, fd, &one);
		else
			add_literal(d, fd, one.v[0]);
	}
	sort(d);
	return NULL;
}

bool documents_have(const struct documents *d, enum document_kind kind)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->doc[i].kind == kind)
			return true;
	return false;
}

void documents_release(struct documents *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->doc[i].source);
		free(d->doc[i].data);
	}
	free(d->doc);
	strvec_release(&d->why);
	*d = (struct documents)DOCUMENTS_INIT;
}
