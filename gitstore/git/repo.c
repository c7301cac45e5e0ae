/* Opens a repository and finds its parts. */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "gitstore/git/internal.h"
#include "gitstore/git/loose.h"
#include "gitstore/git/program.h"

/* Limit of libgit2's cache of parsed objects; its default is 256 MiB. */
#define CACHE_BYTES ((ssize_t)16 << 20)
/* Bytes of a pack that are mapped at a time; by default all of it. */
#define WINDOW_BYTES ((size_t)8 << 20)

/* Extensions that libgit2 refuses although they do not change what avogit reads
 * and writes. */
static const char *const extensions[] = {"worktreeconfig", "preciousobjects",
					 "partialclone"};

static struct error *start_libgit2(void)
{
	const char *names[ARRAY_SIZE(extensions)];

	memcpy(names, extensions, sizeof names);
	TRY(git_check(git_libgit2_init(), "cannot start libgit2"));
	git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, names, ARRAY_SIZE(names));
	/* object_check does this instead: it checks the targets of commits,
	 * trees and refs, first among the objects just written. */
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 0);
	git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, CACHE_BYTES);
	git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, WINDOW_BYTES);
	git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, 4 * WINDOW_BYTES);
	return NULL;
}

/* ---- opening ------------------------------------------------------------- */

/* git's own decision about the repository's owner: libgit2 does not know
 * `safe.directory = *`. */
static bool git_trusts(const char *dir)
{
	const char *words[] = {"-C", dir, "rev-parse", "--git-dir", NULL};
	cleanup_process_result struct process_result result = {0};
	cleanup_error struct error *err =
		git_run(&result, GIT_INSIDE, NULL, words, 10, BUF_LIMIT_TEXT);

	return !err && result.exit_code == 0;
}

static int open_at(git_repository **out, const char *dir)
{
	if (getenv("GIT_DIR"))
		return git_repository_open_ext(
			out, NULL, GIT_REPOSITORY_OPEN_FROM_ENV, NULL);
	return git_repository_open_ext(out, dir, 0,
				       getenv("GIT_CEILING_DIRECTORIES"));
}

static struct error *open_repository(git_repository **out, const char *dir)
{
	int rc = open_at(out, dir);
	const git_error *e = git_error_last();
	bool owner = rc == GIT_EOWNER || (rc < 0 && e && e->message &&
					  strstr(e->message, "safe.directory"));

	if (owner && git_trusts(dir)) {
		git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
		rc = open_at(out, dir);
		git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 1);
	}
	return rc < 0 ? git_open_failed(rc, dir) : NULL;
}

/* In a repository from elsewhere, core.worktree could name the user's home,
 * whose files would then be the task's. A real work tree names its repository
 * too, as a submodule does. */
static struct error *check_work_tree(const struct gitstore *g)
{
	git_repository *there = NULL;
	bool same;

	if (!g->work_dir || getenv("GIT_WORK_TREE") || getenv("GIT_DIR"))
		return NULL;
	/* Its owner was checked when the repository itself was opened. */
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	same = git_repository_open_ext(&there, g->work_dir,
				       GIT_REPOSITORY_OPEN_NO_SEARCH,
				       NULL) == 0 &&
	       str_eq(git_repository_path(there), git_repository_path(g->repo));
	git_repository_free(there);
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 1);
	if (same)
		return NULL;
	return error_new(ERROR_REFUSED,
			 "%s says that its work tree is %s (core.worktree), "
			 "which knows nothing of it: set GIT_DIR and "
			 "GIT_WORK_TREE if that is meant",
			 g->git_dir, g->work_dir);
}

static void read_fsync(struct gitstore *g);

static struct error *fill(struct gitstore *g, const char *dir)
{
	TRY(special_check(dir));
	TRY(open_repository(&g->repo, dir));
	g->git_dir = xstrdup(git_repository_commondir(g->repo));
	g->work_dir = xstrdup_null(git_repository_workdir(g->repo));
	g->private_dir = xasprintf("%savogit/", g->git_dir);
	TRY(check_work_tree(g));
	TRY(private_check(g));
	read_fsync(g);
	TRY(git_check(git_repository_odb(&g->odb, g->repo),
		      "cannot open the objects of %s", g->git_dir));
	TRY(loose_guard(g->repo, g->odb));
	g->loose = loose_backend(g->odb);
	return NULL;
}

struct error *gitstore_open(struct gitstore **out, const char *dir)
{
	cleanup_gitstore struct gitstore *g = NULL;

	TRY(start_libgit2());
	g = xcalloc(1, sizeof *g);
	g->lock_fd = -1;
	g->turn_fd = -1;
	TRY(fill(g, dir));
	*out = steal(&g);
	return NULL;
}

void gitstore_close(struct gitstore *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n_run_locks; i++)
		close(g->run_lock[i]);
	if (g->turn_fd >= 0)
		close(g->turn_fd);
	if (g->lock_depth > 0)
		gc_guard_drop(g);
	if (g->lock_fd >= 0)
		close(g->lock_fd);
	if (g->index)
		g->index_free(g->index);
	if (g->note_folders)
		g->note_folders_free(g->note_folders);
	config_free(g->config);
	git_signature_free(g->author);
	git_signature_free(g->committer);
	git_odb_free(g->odb);
	git_repository_free(g->repo);
	free(g->branches_done);
	free(g->run_lock);
	free(g->git_dir);
	free(g->work_dir);
	free(g->private_dir);
	free(g);
	git_libgit2_shutdown();
}

/* ---- core.fsync ---------------------------------------------------------- */

static void fsync_word(struct gitstore *g, const char *word)
{
	int on = *word != '-';

	word += !on;
	if (str_eq(word, "none"))
		g->fsync_objects = g->fsync_refs = 0;
	if (str_eq(word, "all") || str_eq(word, "added") ||
	    str_eq(word, "committed"))
		g->fsync_objects = g->fsync_refs = on;
	if (str_eq(word, "objects") || str_eq(word, "loose-object"))
		g->fsync_objects = on;
	if (str_eq(word, "reference"))
		g->fsync_refs = on;
}

/* The older word for it, which git reads where there is no core.fsync. */
static bool wants_objects(struct gitstore *g)
{
	const char *word = config_get(g, "core.fsyncObjectFiles");
	int yes = 0;

	return word && git_config_parse_bool(&yes, word) == 0 && yes;
}

/* git's default is "committed,-loose-object". */
static void read_fsync(struct gitstore *g)
{
	cleanup_free char *words = xstrdup_null(config_get(g, "core.fsync"));
	char *save = NULL;

	g->fsync_refs = 1;
	if (!words)
		g->fsync_objects = wants_objects(g);
	if (!words)
		return;
	for (char *w = strtok_r(words, ", ", &save); w;
	     w = strtok_r(NULL, ", ", &save))
		fsync_word(g, w);
}

/* ---- folders and paths ------------------------------------------------- */

const char *gitstore_git_dir(const struct gitstore *g)
{
	return g->git_dir;
}

const char *gitstore_work_dir(const struct gitstore *g)
{
	return g->work_dir;
}

/* The path without links, with '/' at the end. */
static struct error *real_dir(char **out, const char *dir)
{
	cleanup_free char *real = realpath(dir, NULL);

	if (!real)
		return error_errno("cannot enter %s", dir);
	*out = xasprintf("%s%s", real, ends_with(real, "/") ? "" : "/");
	return NULL;
}

struct error *gitstore_prefix(char **out, const struct gitstore *g,
			      const char *dir)
{
	cleanup_free char *top = NULL, *here = NULL;

	if (!g->work_dir) {
		*out = xstrdup("");
		return NULL;
	}
	TRY(real_dir(&top, g->work_dir));
	TRY(real_dir(&here, dir));
	if (!starts_with(here, top))
		return error_new(ERROR_USAGE, "%s is outside the work tree %s",
				 dir, g->work_dir);
	/* real_dir sets it; the analyzer does not see that. */
	/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
	*out = xstrdup(here + strlen(top));
	return NULL;
}
