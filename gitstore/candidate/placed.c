/*
 * Workspaces outside the git directory, where coding agents may edit: in a
 * folder `.avogit` of the work tree, which ignores itself, or where the user
 * says. What avogit made there, and only that, is removed: <git dir>/avogit/
 * placed/ has a file for each folder, named by its device and inode, with its
 * path. Callers hold the store's lock.
 */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "gitstore/candidate/candidate.h"
#include "gitstore/git/internal.h"

#define NAMES_MAX 100
#define IGNORE	  "# made by avogit for its workspaces, and removed with them\n*\n"

static char *record_of(const struct gitstore *g, const struct stat *st)
{
	return xasprintf("%splaced/%llx-%llx", g->private_dir,
			 (unsigned long long)st->st_dev,
			 (unsigned long long)st->st_ino);
}

/* Its record, if avogit made this very folder; else NULL. */
static char *find_record(const struct gitstore *g, const char *dir)
{
	cleanup_buf struct buf path = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_error struct error *err = NULL;
	cleanup_free char *record = NULL;
	struct stat st;

	if (lstat(dir, &st) < 0 || !S_ISDIR(st.st_mode))
		return NULL;
	record = record_of(g, &st);
	err = file_read(&path, record);
	return !err && str_eq(path.data, dir) ? steal(&record) : NULL;
}

/* The folder above it and the file that makes git ignore that, if avogit made
 * them and nothing else is there. */
static void tidy_above(const char *dir)
{
	cleanup_free char *above =
		xstrndup(dir, (size_t)(strrchr(dir, '/') - dir));
	cleanup_free char *ignore = xasprintf("%s/.gitignore", above);
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_error struct error *err = file_read(&text, ignore);
	cleanup_dir DIR *d = opendir(above);
	size_t others = 0;

	if (err || !d || !str_eq(text.data, IGNORE))
		return;
	for (struct dirent *e; (e = readdir(d));)
		others += !str_eq(e->d_name, ".") && !str_eq(e->d_name, "..") &&
			  !str_eq(e->d_name, ".gitignore");
	if (others == 0 && unlink(ignore) == 0)
		rmdir(above);
}

static struct error *remove_ours(const char *dir, const char *record)
{
	TRY(dir_remove(dir));
	unlink(record);
	tidy_above(dir);
	return NULL;
}

void placed_remove(struct gitstore *g, const char *dir)
{
	cleanup_free char *record = find_record(g, dir);

	if (record)
		error_free(remove_ours(dir, record));
	else
		tidy_above(dir);
}

static struct error *sweep_one(size_t *swept, struct gitstore *g,
			       const char *record)
{
	cleanup_buf struct buf path = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *own = NULL;
	cleanup_fd int fd = -1;

	TRY(file_read(&path, record));
	own = find_record(g, path.data);
	if (!own || !str_eq(own, record)) {
		unlink(record);
		return NULL;
	}
	fd = workspace_lock(path.data);
	if (fd < 0)
		return NULL;
	++*swept;
	return remove_ours(path.data, record);
}

struct error *placed_sweep(size_t *swept, struct gitstore *g)
{
	cleanup_free char *folder = xasprintf("%splaced", g->private_dir);
	cleanup_dir DIR *d = opendir(folder);

	for (struct dirent *e; d && (e = readdir(d));) {
		cleanup_free char *record =
			xasprintf("%s/%s", folder, e->d_name);

		if (*e->d_name != '.')
			TRY(error_wrap(sweep_one(swept, g, record),
				       "cannot remove an old workspace"));
	}
	return NULL;
}

/* Makes the folder and its record; *made is false if something is there. */
static struct error *make(bool *made, struct gitstore *g, const char *dir)
{
	cleanup_free char *record = NULL;
	struct stat st;

	/* An empty folder of the user's may be taken. */
	rmdir(dir);
	*made = mkdir(dir, 0777) == 0;
	if (!*made)
		return errno == EEXIST ? NULL : error_errno("%s", dir);
	if (lstat(dir, &st) < 0)
		return error_errno("%s", dir);
	record = record_of(g, &st);
	return file_write(record, dir, strlen(dir), false);
}

/* The folder .avogit of the work tree: a link of that name, which a commit may
 * bring, could lead anywhere. */
static struct error *make_hidden(const char *dir)
{
	cleanup_free char *above =
		xstrndup(dir, (size_t)(strrchr(dir, '/') - dir));
	cleanup_free char *ignore = xasprintf("%s/.gitignore", above);
	struct stat st;

	if (lstat(above, &st) == 0 && !S_ISDIR(st.st_mode))
		return error_new(ERROR_REFUSED,
				 "%s is not a folder, and the workspace would "
				 "be made in it: remove it, or say where by "
				 "--workspace DIR",
				 above);
	TRY(dir_make(above));
	if (file_exists(ignore) || lstat(ignore, &st) == 0)
		return NULL;
	return file_write(ignore, IGNORE, strlen(IGNORE), false);
}

struct error *placed_make(char **out, struct gitstore *g, const char *place,
			  bool chosen)
{
	cleanup_free char *records = xasprintf("%splaced", g->private_dir);
	size_t swept = 0;

	TRY(dir_make(records));
	TRY(placed_sweep(&swept, g));
	if (!chosen)
		TRY(make_hidden(place));
	for (int i = 1; i <= (chosen ? 1 : NAMES_MAX); i++) {
		cleanup_free char *dir = i == 1 ? xstrdup(place)
						: xasprintf("%s-%d", place, i);
		bool made;

		TRY(make(&made, g, dir));
		if (!made)
			continue;
		*out = steal(&dir);
		return NULL;
	}
	return error_new(ERROR_REFUSED,
			 "%s is there already, and not empty: the workspace is "
			 "a folder of its own",
			 place);
}
