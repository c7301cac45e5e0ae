/*
 * Refuses named pipes and devices in a .git from elsewhere. git makes none
 * there, and opening a pipe waits for ever, in libgit2 and in git. So the parts
 * of a repository are checked before either opens them. (The socket of git's
 * file system monitor cannot be opened, so no code can wait for it.)
 */
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/base/file.h"
#include "gitstore/git/internal.h"

#define MAX_DEPTH 24
/* Limits of a .git that is a file, and of commondir. */
#define LINK_BYTES ((size_t)8192)

/* A pipe or a device, except /dev/null, which people link to. */
static bool is_special(const struct stat *st)
{
	if (S_ISCHR(st->st_mode))
		return st->st_rdev != makedev(1, 3);
	return S_ISFIFO(st->st_mode) || S_ISBLK(st->st_mode);
}

static struct error *refuse(const char *path)
{
	return error_new(ERROR_REFUSED,
			 "%s is a pipe or a device, which git never makes: "
			 "remove it",
			 path);
}

static struct error *check_folder(const char *path, unsigned depth);

/* Thousands of objects are loose; for those the kind that the folder's entry
 * gives is enough. */
static struct error *check_entry(const char *folder, const struct dirent *e,
				 unsigned depth)
{
	cleanup_free char *path = xasprintf("%s/%s", folder, e->d_name);
	struct stat st;

	if (e->d_type == DT_REG || str_eq(e->d_name, ".") ||
	    str_eq(e->d_name, "..") || stat(path, &st) < 0)
		return NULL;
	if (is_special(&st))
		return refuse(path);
	return S_ISDIR(st.st_mode) ? check_folder(path, depth + 1) : NULL;
}

static struct error *check_folder(const char *path, unsigned depth)
{
	cleanup_dir DIR *d = depth < MAX_DEPTH ? opendir(path) : NULL;

	for (struct dirent *e; d && (e = readdir(d));) {
		/* Workspaces belong to candidates and are checked as such. */
		if (str_eq(e->d_name, "ws") && ends_with(path, "/avogit"))
			continue;
		TRY(check_entry(path, e, depth));
	}
	return NULL;
}

/* The folder that "KEY PATH" in a file names, from `folder`; NULL: none. */
static struct error *named_folder(char **out, const char *folder,
				  const char *file, const char *key)
{
	cleanup_buf struct buf text = BUF_INIT(LINK_BYTES);
	cleanup_error struct error *err = file_read(&text, file);

	*out = NULL;
	buf_trim_end(&text);
	if (!err && starts_with(text.data, key)) {
		const char *path = text.data + strlen(key);

		*out = *path == '/' ? xstrdup(path)
				    : xasprintf("%s/%s", folder, path);
	}
	return NULL;
}

static struct error *check_git_dir(const char *path)
{
	cleanup_free char *file = xasprintf("%s/commondir", path);
	cleanup_free char *common = NULL;

	TRY(check_folder(path, 0));
	TRY(named_folder(&common, path, file, ""));
	return common ? check_folder(common, 0) : NULL;
}

/* *found: this folder has a .git, or is itself a bare repository. */
static struct error *check_here(bool *found, const char *folder)
{
	cleanup_free char *dot_git = xasprintf("%s/.git", folder);
	cleanup_free char *objects = xasprintf("%s/objects", folder);
	cleanup_free char *head = xasprintf("%s/HEAD", folder);
	cleanup_free char *elsewhere = NULL;
	struct stat st;

	*found = true;
	if (stat(dot_git, &st) == 0) {
		if (is_special(&st))
			return refuse(dot_git);
		if (S_ISDIR(st.st_mode))
			return check_git_dir(dot_git);
		TRY(named_folder(&elsewhere, folder, dot_git, "gitdir: "));
		return elsewhere ? check_git_dir(elsewhere) : NULL;
	}
	/* Other folders may have that name: a HEAD must be beside it. */
	*found = stat(objects, &st) == 0 && S_ISDIR(st.st_mode) &&
		 stat(head, &st) == 0;
	return *found ? check_git_dir(folder) : NULL;
}

struct error *special_check(const char *dir)
{
	const char *given = getenv("GIT_DIR");
	cleanup_free char *at = realpath(dir, NULL);
	bool found = false;

	if (given)
		return check_git_dir(given);
	while (at && *at) {
		TRY(check_here(&found, at));
		if (found)
			return NULL;
		*strrchr(at, '/') = '\0';
	}
	return NULL;
}
