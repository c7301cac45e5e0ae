#include "cmd/session/in_the_way.h"

#include "cmd/ui/out.h"
#include "gitstore/git/program.h"

/* The paths that a command of git prints; none where it fails, and the pick itself
 * says why. */
static struct error *listed(struct strvec *out, const char *const *words)
{
	cleanup_buf struct buf list = BUF_INIT((size_t)16 << 20);
	int code;

	TRY(git_run_foreground(&code, &list, GIT_INSIDE, words));
	if (code != 0 || list.truncated)
		return NULL;
	for (size_t at = 0; at < list.len; at += strlen(list.data + at) + 1)
		strvec_push(out, list.data + at);
	return NULL;
}

static char *named(const struct strvec *paths)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean_line(&clean, paths->v[0]);
	if (paths->n > 1)
		return xasprintf("%s and %zu more", clean.data, paths->n - 1);
	return buf_take(&clean);
}

/* Those of `paths` that git says are changed (`staged`: in the index); a file that was
 * removed is no loss. */
static struct error *changed(struct strvec *out, const struct strvec *paths,
			     bool no_commit)
{
	const char *words[] = {"diff",
			       "--name-only",
			       "--no-renames",
			       "--no-relative",
			       "--no-ext-diff",
			       "-z",
			       "--diff-filter=d",
			       no_commit ? NULL : "HEAD",
			       NULL};
	cleanup_strvec struct strvec all = STRVEC_INIT;

	TRY(listed(&all, words));
	for (size_t i = 0; i < paths->n; i++)
		if (strvec_has(&all, paths->v[i]))
			strvec_push(out, paths->v[i]);
	return NULL;
}

static struct error *untracked(struct strvec *out, const struct strvec *paths)
{
	cleanup_strvec struct strvec words = STRVEC_INIT;

	strvec_pushl(&words, "ls-files", "--others", "--full-name", "-z", "--",
		     NULL);
	for (size_t i = 0; i < paths->n; i++)
		strvec_pushf(&words, ":(top,literal)%s", paths->v[i]);
	return listed(out, (const char *const *)words.v);
}

static struct error *refuse_overwritten(struct session *s, const struct pick *p,
					bool no_commit)
{
	cleanup_strvec struct strvec edited = STRVEC_INIT;
	cleanup_strvec struct strvec paths = STRVEC_INIT;
	cleanup_free char *names = NULL;

	TRY(pick_edited(&edited, s->git, p));
	if (!edited.n)
		return NULL;
	TRY(untracked(&paths, &edited));
	if (paths.n) {
		names = named(&paths);
		return error_new(ERROR_REFUSED,
				 "%s, which git does not have, would be "
				 "overwritten by the pick, and nothing was "
				 "changed: move it elsewhere and pick again",
				 names);
	}
	TRY(changed(&paths, &edited, no_commit));
	if (!paths.n)
		return NULL;
	names = named(&paths);
	return error_new(
		ERROR_REFUSED,
		"%s: changes that are not committed would be "
		"overwritten by the pick, and nothing was changed: "
		"`git stash` them (or `git restore` the file, if a run "
		"has them as an attempt), and pick again",
		names);
}

/* What is staged where the pick touches nothing: git takes no pick beside it. */
static struct error *refuse_staged(struct session *s, const struct pick *p)
{
	static const char *const words[] = {"diff",	     "--cached",
					    "--name-only",   "--no-renames",
					    "--no-relative", "-z",
					    "HEAD",	     NULL};
	cleanup_strvec struct strvec staged = STRVEC_INIT;
	cleanup_strvec struct strvec there = STRVEC_INIT;
	cleanup_strvec struct strvec others = STRVEC_INIT;
	cleanup_free char *names = NULL;

	TRY(listed(&staged, words));
	TRY(pick_there_already(&there, s->git, p));
	for (size_t i = 0; i < staged.n; i++)
		if (!strvec_has(&there, staged.v[i]))
			strvec_push(&others, staged.v[i]);
	if (!others.n)
		return NULL;
	names = named(&others);
	return error_new(ERROR_REFUSED,
			 "%s: changes that are staged keep git from picking, "
			 "and nothing was changed: `git commit` or `git stash` "
			 "them, and pick again",
			 names);
}

struct error *in_the_way_refuse(struct session *s, const struct pick *p,
				bool no_commit)
{
	TRY(refuse_overwritten(s, p, no_commit));
	return no_commit ? NULL : refuse_staged(s, p);
}
