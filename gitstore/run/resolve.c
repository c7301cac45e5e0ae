/* Finds the commit for what a user types: git's own names first, then avogit's,
 * "RUN" for its champion and "RUN#12" for its twelfth attempt. */
#include <errno.h>

#include "gitstore/git/internal.h"

/* The name is not the problem: an object could not be read. */
static bool is_damage(int rc)
{
	const git_error *e = git_error_last();

	return rc == GIT_ERROR && e &&
	       (e->klass == GIT_ERROR_ODB || e->klass == GIT_ERROR_ZLIB ||
		e->klass == GIT_ERROR_OS);
}

/* ERROR_NOT_FOUND if git does not know the name. */
static struct error *resolve_git(git_oid *out, struct gitstore *g,
				 const char *rev)
{
	cleanup_git_object git_object *object = NULL, *commit = NULL;
	int rc = git_revparse_single(&object, g->repo, rev);

	if (rc == GIT_EAMBIGUOUS)
		return error_new(ERROR_USAGE,
				 "'%s' is the beginning of several ids: give "
				 "more digits",
				 rev);
	if (is_damage(rc))
		return git_check(rc, "cannot read '%s'", rev);
	if (rc < 0)
		return error_new(ERROR_NOT_FOUND, "git knows no '%s'", rev);
	rc = git_object_peel(&commit, object, GIT_OBJECT_COMMIT);
	if (rc < 0)
		return error_new(ERROR_USAGE, "'%s' is not a commit", rev);
	git_oid_cpy(out, git_object_id(commit));
	return NULL;
}

/* "RUN" or "RUN#12"; number -1 for the champion. */
static bool split(char **run, long long *number, const char *rev)
{
	const char *hash = strchr(rev, '#');
	char *end;

	*number = -1;
	if (hash) {
		errno = 0;
		*number = strtoll(hash + 1, &end, 10);
		if (errno || end == hash + 1 || *end || *number < 0)
			return false;
	}
	*run = xstrndup(rev, hash ? (size_t)(hash - rev) : strlen(rev));
	return **run != '\0';
}

static const struct attempt *by_number(const struct population *p,
				       long long number)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->attempt[i].number == number)
			return &p->attempt[i];
	return NULL;
}

static struct error *resolve_run(git_oid *out, struct gitstore *g,
				 const char *run, long long number)
{
	cleanup_population struct population p = {0};
	const struct attempt *a;

	TRY(gitstore_population(&p, g, run));
	if (p.n == 0)
		return error_new(ERROR_NOT_FOUND, "run '%s' has no record",
				 run);
	a = number < 0 ? &p.attempt[p.champion] : by_number(&p, number);
	if (!a)
		return error_new(ERROR_NOT_FOUND,
				 "run '%s' has no attempt %lld: its last is "
				 "%lld",
				 run, number,
				 (long long)population_next_number(&p) - 1);
	return oid_parse(out, a->id.hex);
}

static bool is_run(const struct strvec *runs, const char *name)
{
	return strvec_has(runs, name);
}

/* For "avo/RUN/best" of a run that was fetched and has no branches yet: makes
 * them. False if it is not such a name. */
static bool make_branch(struct gitstore *g, const struct strvec *runs,
			const char *rev)
{
	const char *name = starts_with(rev, "avo/") ? rev + 4 : "";
	cleanup_free char *run = xstrndup(name, strcspn(name, "/"));

	return is_run(runs, run) && gitstore_branches_missing(g, run);
}

static struct error *resolve_own(git_oid *out, char run[RUN_NAME_MAX + 1],
				 struct gitstore *g, const char *rev)
{
	cleanup_strvec struct strvec runs = STRVEC_INIT;
	cleanup_free char *name = NULL;
	long long number;

	TRY(gitstore_runs(&runs, g));
	if (split(&name, &number, rev) && is_run(&runs, name)) {
		snprintf(run, RUN_NAME_MAX + 1, "%s", name);
		return resolve_run(out, g, name, number);
	}
	if (make_branch(g, &runs, rev))
		return resolve_git(out, g, rev);
	if (git_repository_head_unborn(g->repo) == 1)
		return error_new(ERROR_NOT_FOUND,
				 "there is no '%s': this repository has no "
				 "commit on its branch yet; commit the kernel "
				 "and its task first",
				 rev);
	if (*rev == '#' && runs.n)
		return error_new(ERROR_NOT_FOUND,
				 "'%s' names no run: an attempt is RUN#N, as "
				 "%s%s",
				 rev, runs.v[0], rev);
	return error_new(ERROR_NOT_FOUND,
			 "'%s' is neither a revision that git knows nor a run "
			 "(RUN, RUN#ATTEMPT)",
			 rev);
}

struct error *gitstore_resolve_in(struct commit_id *id,
				  char run[RUN_NAME_MAX + 1],
				  struct gitstore *g, const char *rev)
{
	git_oid oid;
	struct error *err = resolve_git(&oid, g, rev);

	*run = '\0';
	if (error_is(err, ERROR_NOT_FOUND)) {
		error_free(err);
		err = resolve_own(&oid, run, g, rev);
	}
	if (!err)
		*id = oid_hex(&oid);
	return err;
}

struct error *gitstore_resolve(struct commit_id *id, struct gitstore *g,
			       const char *rev)
{
	char run[RUN_NAME_MAX + 1];

	return gitstore_resolve_in(id, run, g, rev);
}

void gitstore_abbreviate(char out[COMMIT_ID_LEN + 1], struct gitstore *g,
			 const char *id)
{
	cleanup_git_object git_object *object = NULL;
	cleanup_git_buf git_buf text = {0};
	git_oid oid;

	snprintf(out, COMMIT_ID_LEN + 1, "%.12s", id);
	if (git_oid_fromstr(&oid, id) == 0 &&
	    git_object_lookup(&object, g->repo, &oid, GIT_OBJECT_ANY) == 0 &&
	    git_object_short_id(&text, object) == 0)
		snprintf(out, COMMIT_ID_LEN + 1, "%s", text.ptr);
}
