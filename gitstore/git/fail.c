/* The only place that turns an answer of libgit2 into a sentence. */
#include <stdarg.h>
#include <time.h>

#include "gitstore/git/internal.h"
#include "gitstore/git/loose.h"

#define MAX_TRIES 9

static const char *last_message(void)
{
	const git_error *e = git_error_last();

	return e && e->message && *e->message ? e->message
					      : "libgit2 gives no reason";
}

static bool mentions(const char *word)
{
	return strstr(last_message(), word) != NULL;
}

static enum error_code code_of(int rc)
{
	switch (rc) {
	case GIT_ENOTFOUND:
		return ERROR_NOT_FOUND;
	case GIT_EMODIFIED:
		return ERROR_MOVED;
	case GIT_EINVALIDSPEC:
	case GIT_EAMBIGUOUS:
		return ERROR_USAGE;
	default:
		return ERROR_REPO;
	}
}

/* What a user can do about it; NULL if the reason is enough. */
static const char *advice(int rc)
{
	if (mentions("No space left") || mentions("quota exceeded"))
		return "free some space on the disk of the repository, then "
		       "start again: what was recorded is whole";
	if (mentions("Read-only file system") || mentions("Permission denied"))
		return "avogit has to write below the git directory";
	if (mentions("object's file") && mentions("is damaged"))
		return loose_mend;
	if (mentions("corrupted loose reference"))
		return "`avogit doctor --repair` makes it again if it is one "
		       "of "
		       "avogit's";
	if (rc == GIT_ELOCKED)
		return "another git process is working in this repository; if "
		       "none is, one was killed: remove the .lock file";
	return NULL;
}

struct error *git_check(int rc, const char *what, ...)
{
	const char *mend;
	struct error *err;
	va_list ap;
	char context[1024];

	if (rc >= 0)
		return NULL;
	mend = advice(rc);
	err = error_new(code_of(rc), "%s%s%s%s", last_message(),
			mend ? " (" : "", mend ? mend : "", mend ? ")" : "");
	va_start(ap, what);
	vsnprintf(context, sizeof context, what, ap);
	va_end(ap);
	return error_wrap(err, "%s", context);
}

bool git_transient(int rc, unsigned *tries)
{
	bool gone = rc == GIT_ERROR && mentions("rename");
	struct timespec pause = {0};

	if (rc >= 0 || (rc != GIT_ELOCKED && !gone) || *tries >= MAX_TRIES)
		return false;
	pause.tv_nsec = 1000000L << (*tries)++;
	nanosleep(&pause, NULL);
	return true;
}

static struct error *unsupported(const char *dir)
{
	if (mentions("objectformat") || mentions("object format"))
		return error_new(
			ERROR_REFUSED,
			"the repository at %s uses SHA-256 object names, which "
			"libgit2 cannot read: avogit needs one with SHA-1 "
			"names, git's default",
			dir);
	if (mentions("refstorage"))
		return error_new(
			ERROR_REFUSED,
			"the repository at %s keeps its refs as a reftable, "
			"which libgit2 cannot read: `git clone "
			"--ref-format=files` makes one that it can read, and "
			"so does `git refs migrate --ref-format=files` where "
			"git has no reflogs to migrate",
			dir);
	return NULL;
}

struct error *git_open_failed(int rc, const char *dir)
{
	struct error *err = unsupported(dir);

	if (err)
		return err;
	if (rc == GIT_EOWNER || mentions("safe.directory"))
		return error_new(
			ERROR_REFUSED,
			"the repository at %s belongs to another user: if you "
			"trust it, say so with `git config --global --add "
			"safe.directory \"$(git rev-parse --show-toplevel)\"`",
			dir);
	if (rc == GIT_ENOTFOUND)
		return error_new(ERROR_NOT_FOUND,
				 "%s is not in a git repository: make one "
				 "with `git init`, commit, and start again",
				 dir);
	return git_check(rc, "cannot open the repository at %s", dir);
}

struct error *gitstore_pass_over(struct error *err)
{
	if (!error_is(err, ERROR_REPO) && !error_is(err, ERROR_NOT_FOUND) &&
	    !error_is(err, ERROR_MALFORMED))
		return err;
	error_free(err);
	return NULL;
}
