/*
 * Starts git itself; no other code does. A repository from elsewhere brings a
 * configuration and hooks, and both name programs. What git would run because
 * of them, or where they lead it, is listed here, so that none of it happens
 * before the user has agreed (`avogit trust --git`).
 */
#ifndef GITSTORE_GIT_PROGRAM_H
#define GITSTORE_GIT_PROGRAM_H

#include "core/sandbox/process.h"
#include "gitstore/gitstore.h"

/* The purpose for which git is started. */
enum git_use {
	/* Within the repository: no protocol, no hook, no prompt, and objects
	 * missing from a partial clone are not fetched. */
	GIT_INSIDE,
	/* ls-remote, fetch and push: hooks of this repository stay off. */
	GIT_TRANSPORT,
	/* cherry-pick, as if the user had typed it. */
	GIT_CHECKOUT,
};

/* Runs `git WORDS` (NULL-terminated) to its end, unattended, as process_run
 * does; `dir`: where it starts, NULL for the current folder. */
struct error *git_run(struct process_result *out, enum git_use use,
		      const char *dir, const char *const *words,
		      double wall_seconds, size_t output_limit) MUST_CHECK;
/* The same on this terminal, with this process's stdin and stderr. Its stdout
 * is added to `output`; if that is NULL, it is this process's. *exit_code is
 * 128 + the signal if one ended it. */
struct error *git_run_foreground(int *exit_code, struct buf *output,
				 enum git_use use,
				 const char *const *words) MUST_CHECK;

/* What the repository's own configuration (not the user's) and hooks make git
 * run, or where they lead it: keys with their values, in order. A setting
 * counts unless it is known to do neither. */
struct git_named {
	struct strvec keys, values;
};
struct error *gitstore_named(struct git_named *out, struct gitstore *g,
			     enum git_use use) MUST_CHECK;
void git_named_release(struct git_named *n);

DEFINE_RELEASE(git_named, struct git_named, git_named_release)
#define cleanup_git_named CLEANUP(git_named)

#endif
