/* The folder of an export: there as a whole, or not at all. */
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/export/source.h"
#include "core/base/file.h"

/* The folder that the export is made in first, beside its place. */
static void remove_folder(char **path)
{
	if (*path)
		error_free(dir_remove(*path));
	free(*path);
}
#define cleanup_folder __attribute__((cleanup(remove_folder)))

static bool is_empty(const char *dir)
{
	return rmdir(dir) == 0 && mkdir(dir, 0777) == 0;
}

/* What --force replaces must be an export: a home folder named by mistake would
 * be lost. */
static struct error *check_place(bool *there, const char *dir, bool force)
{
	cleanup_free char *mark = xasprintf("%s/export.json", dir);
	struct stat st;

	*there = lstat(dir, &st) == 0;
	if (!*there)
		return NULL;
	if (!S_ISDIR(st.st_mode))
		return error_new(ERROR_REFUSED,
				 "%s is there and is not a folder: name "
				 "another by -o",
				 dir);
	if (is_empty(dir))
		return NULL;
	if (!force)
		return error_new(ERROR_REFUSED,
				 "%s is there already: --force replaces an "
				 "export, -o names another folder",
				 dir);
	if (!file_exists(mark))
		return error_new(ERROR_REFUSED,
				 "%s is not an export (it has no export.json), "
				 "so that --force does not replace it: name "
				 "another by -o",
				 dir);
	return NULL;
}

/* Open to others as the user's umask says, which a temporary folder is not. */
static struct error *open_up(const char *dir)
{
	mode_t mask = umask(0);

	umask(mask);
	if (chmod(dir, 0777 & ~mask))
		return error_errno("cannot change the mode of %s", dir);
	return NULL;
}

/* In one step; what was there is in `made` then, and removed. */
static struct error *move_in(const char *made, const char *dir, bool there)
{
	if (renameat2(AT_FDCWD, made, AT_FDCWD, dir,
		      there ? RENAME_EXCHANGE : RENAME_NOREPLACE))
		return error_errno("cannot put the export to %s", dir);
	return NULL;
}

struct error *export_write(const struct export_source *s, const char *dir,
			   bool force)
{
	cleanup_free char *copy = xstrdup(dir);
	const char *above = dirname(copy);
	cleanup_folder char *made = NULL;
	bool there;

	TRY(check_place(&there, dir, force));
	TRY(dir_make(above));
	TRY(dir_make_temp(&made, above, ".avogit-export-"));
	TRY(fileset_write(&s->out, made));
	TRY(open_up(made));
	return move_in(made, dir, there);
}
