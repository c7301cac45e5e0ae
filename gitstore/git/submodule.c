#include "gitstore/git/submodule.h"

#include "gitstore/git/loose.h"

#define HOW_TO_GET_IT                                                  \
	"run `git submodule update --init --recursive` at the top of " \
	"the repository"

/* ---- its repository ------------------------------------------------------ */

/* Opened as bare, so that its config cannot choose a work tree. The owner of
 * the outer repository was checked. */
static int open_at(git_repository **out, const char *dir)
{
	int rc;

	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	rc = git_repository_open_ext(
		out, dir,
		GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_BARE, NULL);
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 1);
	return rc;
}

/* The one checked out, else the one that git keeps under its default name: a
 * linked work tree may never have checked it out. */
static struct error *open_repository(struct submodule *s,
				     const struct tree_source *above,
				     const char *path)
{
	const char *name = path + strlen(above->prefix);
	cleanup_free char *kept =
		xasprintf("%smodules/%s", above->git_dir, name);
	cleanup_free char *there = NULL;
	int rc = GIT_ENOTFOUND;

	if (above->work_dir) {
		s->work_dir = xasprintf("%s%s/", above->work_dir, name);
		there = xasprintf("%s.git", s->work_dir);
		rc = open_at(&s->source.repo, there);
	}
	if (rc == GIT_ENOTFOUND)
		rc = open_at(&s->source.repo, kept);
	if (rc == GIT_ENOTFOUND)
		return error_new(ERROR_REPO,
				 "the task needs files of the submodule %s, "
				 "which is not initialised: " HOW_TO_GET_IT,
				 path);
	TRY(git_check(rc, "cannot open the repository of the submodule %s",
		      path));
	TRY(git_check(git_repository_odb(&s->source.odb, s->source.repo),
		      "cannot open the objects of the submodule %s", path));
	return loose_guard(s->source.repo, s->source.odb);
}

static struct error *find_tree(struct submodule *s, const char *path,
			       const git_oid *id)
{
	cleanup_git_commit git_commit *commit = NULL;
	struct commit_id hex;
	int rc = git_commit_lookup(&commit, s->source.repo, id);

	hex = oid_hex(id);
	if (rc == GIT_ENOTFOUND)
		return error_new(ERROR_REPO,
				 "the submodule %s does not have commit %.12s, "
				 "which is recorded for it: " HOW_TO_GET_IT,
				 path, hex.hex);
	TRY(git_check(rc, "cannot read commit %.12s of the submodule %s",
		      hex.hex, path));
	git_oid_cpy(&s->tree, git_commit_tree_id(commit));
	return NULL;
}

struct error *submodule_open(struct submodule *out,
			     const struct tree_source *above, const char *path,
			     const git_oid *commit)
{
	cleanup_submodule struct submodule s = {0};

	if (!path_is_safe(path) || above->depth >= SUBMODULE_DEPTH)
		return error_new(ERROR_REFUSED,
				 "a submodule's path is none that avogit "
				 "takes, or over %d submodules lie in each "
				 "other",
				 SUBMODULE_DEPTH);
	TRY(open_repository(&s, above, path));
	TRY(find_tree(&s, path, commit));
	s.prefix = xasprintf("%s/", path);
	s.git_dir = xstrdup(git_repository_commondir(s.source.repo));
	s.source.prefix = s.prefix;
	s.source.work_dir = s.work_dir;
	s.source.git_dir = s.git_dir;
	s.source.depth = above->depth + 1;
	*out = s;
	s = (struct submodule){0};
	return NULL;
}

void submodule_release(struct submodule *s)
{
	git_odb_free(s->source.odb);
	git_repository_free(s->source.repo);
	free(s->prefix);
	free(s->work_dir);
	free(s->git_dir);
}

/* ---- its files ----------------------------------------------------------- */

struct error *submodule_blob(struct buf *out, const struct tree_source *from,
			     const git_oid *id, const char *path)
{
	struct error *err = blob_read_from(out, from->odb, id, path);

	if (!error_is(err, ERROR_NOT_FOUND))
		return err;
	error_free(err);
	return error_new(ERROR_REPO,
			 "%s is missing in the repository of its submodule, "
			 "and avogit does not fetch: " HOW_TO_GET_IT,
			 path);
}

struct error *submodule_refuse_sources(struct gitstore *g, const char *commit,
				       const struct strvec *patterns)
{
	cleanup_strvec struct strvec found = STRVEC_INIT;

	TRY(gitstore_submodules(&found, g, commit, patterns));
	if (!found.n)
		return NULL;
	return error_new(ERROR_REFUSED,
			 "sources: a pattern reaches into the submodule %s, "
			 "whose files no commit of this repository can change: "
			 "name files outside of it, or run avogit in the "
			 "repository of the submodule itself",
			 found.v[0]);
}
