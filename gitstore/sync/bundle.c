#include "gitstore/sync/bundle.h"

#include "core/base/file.h"
#include "gitstore/git/internal.h"
#include "gitstore/git/program.h"
#include "gitstore/sync/sync.h"

/* Packing the history of a big project takes a while. */
#define WALL_S 3600

static struct error *run_git(enum git_use use, const char *what,
			     const struct strvec *words)
{
	cleanup_process_result struct process_result r = {0};

	TRY(git_run(&r, use, NULL, (const char *const *)words->v, WALL_S,
		    BUF_LIMIT_TEXT));
	if (r.exit_code == 0)
		return NULL;
	buf_trim_end(&r.output);
	return error_new(ERROR_REPO, "git cannot %s: %s", what,
			 r.timed_out ? "it takes over an hour" : r.output.data);
}

struct error *bundle_write(const char *path, const struct gitstore *g,
			   const struct strvec *runs)
{
	cleanup_strvec struct strvec words = STRVEC_INIT;

	strvec_pushf(&words, "--git-dir=%s", g->git_dir);
	strvec_pushl(&words, "bundle", "create", "-q", path, NULL);
	for (size_t i = 0; i < runs->n; i++)
		strvec_pushf(&words, "--glob=" JOURNAL_REFS "%s/journal/*",
			     runs->v[i]);
	return run_git(GIT_INSIDE, "bundle the runs", &words);
}

struct error *bundle_take(struct strvec *refused, struct gitstore *g,
			  const char *path)
{
	cleanup_strvec struct strvec words = STRVEC_INIT;
	cleanup_sync_taken struct sync_taken taken = {.journals = 0};

	strvec_pushf(&words, "--git-dir=%s", g->git_dir);
	strvec_pushl(&words, "fetch", "-q", "--no-tags",
		     "--no-recurse-submodules", "--no-write-fetch-head", "--",
		     path, "+" JOURNAL_REFS "*:" SYNC_REFS "*", NULL);
	TRY(run_git(GIT_TRANSPORT, "read the bundle", &words));
	TRY(sync_take(&taken, g));
	strvec_extend(refused, &taken.refused);
	return NULL;
}

struct error *bundle_repository(const char *dir)
{
	cleanup_strvec struct strvec words = STRVEC_INIT;
	cleanup_free char *head = xasprintf("%s/HEAD", dir);

	if (file_exists(head))
		return NULL;
	TRY(dir_make(dir));
	/* Refs are written as files here, and ids are those of the user's
	 * repository: not what git is configured to begin new ones with. */
	strvec_pushl(&words, "-c", "init.defaultObjectFormat=sha1", "-c",
		     "init.defaultRefFormat=files", "init", "-q", "--bare",
		     "--template=", "--object-format=sha1", dir, NULL);
	return run_git(GIT_INSIDE, "make a repository for jobs", &words);
}
