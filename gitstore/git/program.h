/*
 * git itself: the one place that starts it. A repository that came from
 * elsewhere brings a configuration and hooks, and both name programs; what git
 * would run of them, or be led to, is listed here, so that none of it happens
 * before the user has agreed (`avogit trust --git`).
 */
#ifndef GITSTORE_GIT_PROGRAM_H
#define GITSTORE_GIT_PROGRAM_H

#include "core/sandbox/process.h"
#include "gitstore/gitstore.h"

/* What git is started for. */
enum git_use {
	/* In the repository alone: no protocol, no hook, no prompt, and what
	 * is missing of a partial clone is not fetched. */
	GIT_INSIDE,
	/* ls-remote, fetch and push: hooks of this repository stay off. */
	GIT_TRANSPORT,
	/* cherry-pick, as if the user had typed it. */
	GIT_CHECKOUT,
};

/* `git WORDS` (NULL-terminated) to its end, unattended, as process_run does;
 * `dir`: where it starts, NULL for here. */
struct error *git_run(struct process_result *out, enum git_use use,
		      const char *dir, const char *const *words,
		      double wall_seconds, size_t output_limit) MUST_CHECK;
/* The same with this terminal: this process's stdin and stderr and, where
 * `output` is NULL, its stdout; otherwise stdout is added there. *exit_code is
 * 128 and the signal where one ended it. */
struct error *git_run_foreground(int *exit_code, struct buf *output,
				 enum git_use use,
				 const char *const *words) MUST_CHECK;

/* What the repository's own configuration (not the user's) and hooks have git
 * run, or where they lead it: a key and a value each, in order. Every setting
 * counts that is not known to do neither. */
struct git_named {
	struct strvec keys, values;
};
struct error *gitstore_named(struct git_named *out, struct gitstore *g,
			     enum git_use use) MUST_CHECK;
void git_named_release(struct git_named *n);

DEFINE_RELEASE(git_named, struct git_named, git_named_release)
#define cleanup_git_named CLEANUP(git_named)

#endif
