#include "gitstore/sync/parcel.h"

#include <sys/stat.h>

#include "core/base/file.h"
#include "gitstore/git/internal.h"
#include "gitstore/git/program.h"
#include "gitstore/sync/bundle.h"

/* Packing the history of a big project takes a while. */
#define WALL_S 3600

/* Of the repository beside the user's, and of the one that takes it in. */
#define SENT_REFS  "refs/order/"
#define TAKEN_REFS "refs/ordered/"

/* Another repository with the same objects, whose refs are ours. */
struct error *parcel_prepare(const struct gitstore *g, const char *folder)
{
	cleanup_free char *path =
		xasprintf("%s/objects/info/alternates", folder);
	cleanup_free char *refs = xasprintf("%s/" SENT_REFS, folder);
	cleanup_free char *objects = xasprintf("%sobjects\n", g->git_dir);

	if (strchr(g->git_dir, '\n'))
		return error_new(ERROR_REPO,
				 "the repository's path has a line end, which "
				 "git cannot say: move it");
	TRY(bundle_repository(folder));
	TRY(dir_make(refs));
	return file_write(path, objects, strlen(objects), false);
}

/* The refs by which the bundle names its commits. */
static struct error *name_commits(struct strvec *words, const char *folder,
				  const struct strvec *commits,
				  const struct strvec *there)
{
	for (size_t i = 0; i < commits->n; i++) {
		const char *id = commits->v[i];
		cleanup_free char *path =
			xasprintf("%s/" SENT_REFS "%s", folder, id);
		cleanup_free char *text = xasprintf("%s\n", id);
		cleanup_free char *ref = xasprintf(SENT_REFS "%s", id);

		if (strvec_has(there, id) || strvec_has(words, ref))
			continue;
		TRY(file_write(path, text, strlen(text), false));
		strvec_push(words, ref);
	}
	return NULL;
}

struct error *parcel_write(const char *path, const char *folder,
			   const struct strvec *commits,
			   const struct strvec *there)
{
	cleanup_strvec struct strvec words = STRVEC_INIT;
	cleanup_process_result struct process_result r = {0};
	size_t before;

	strvec_pushf(&words, "--git-dir=%s", folder);
	strvec_pushl(&words, "bundle", "create", "-q", path, NULL);
	before = words.n;
	TRY(name_commits(&words, folder, commits, there));
	if (words.n == before)
		return file_write(path, "", 0, false);
	for (size_t i = 0; i < there->n; i++)
		strvec_pushf(&words, "^%s", there->v[i]);
	TRY(git_run(&r, GIT_INSIDE, NULL, (const char *const *)words.v, WALL_S,
		    BUF_LIMIT_TEXT));
	if (r.exit_code == 0)
		return NULL;
	buf_trim_end(&r.output);
	return error_new(ERROR_REPO, "git cannot bundle the commits: %s",
			 r.timed_out ? "it takes over an hour" : r.output.data);
}

static bool is_empty(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_size == 0;
}

struct error *parcel_take(bool *taken, struct buf *why, struct gitstore *g,
			  const char *path)
{
	cleanup_process_result struct process_result r = {0};
	cleanup_strvec struct strvec words = STRVEC_INIT;

	*taken = true;
	if (is_empty(path))
		return NULL;
	strvec_pushf(&words, "--git-dir=%s", g->git_dir);
	strvec_pushl(&words, "fetch", "-q", "--no-tags",
		     "--no-recurse-submodules", "--no-write-fetch-head", "--",
		     path, "+" SENT_REFS "*:" TAKEN_REFS "*", NULL);
	TRY(git_run(&r, GIT_TRANSPORT, NULL, (const char *const *)words.v,
		    WALL_S, BUF_LIMIT_TEXT));
	*taken = r.exit_code == 0;
	if (*taken)
		return NULL;
	buf_trim_end(&r.output);
	buf_adds(why, r.output.data);
	return NULL;
}

bool parcel_has(struct gitstore *g, const char *commit)
{
	cleanup_commit_info struct commit_info info = {0};
	cleanup_error struct error *err =
		gitstore_commit_info(&info, g, commit);

	return !err;
}
