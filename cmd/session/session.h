/*
 * What commands share: the repository, the task as a commit holds it, the
 * sandbox, the scorer. A command opens as much as it needs; session_release
 * closes what is open, in the right order.
 */
#ifndef CMD_SESSION_SESSION_H
#define CMD_SESSION_SESSION_H

#include "cmd/ui/color.h"
#include "gitstore/gitstore.h"
#include "scorer/scorer.h"

/* A task, and the files of the commit that it was read from: nothing of it
 * comes from the work tree. */
struct committed_task {
	struct task *task;
	struct commit_id commit;
	struct fileset files;
	char id[IDENTITY_HEX_LEN + 1]; /* task_identity */
};
void committed_task_release(struct committed_task *t);

struct session {
	struct gitstore *git;
	struct palette color;
	double comparison_seconds; /* of session_scorer; 0: the scorer's own */
	/* Instead of the task's build.arch; NULL: that. Borrowed. */
	const char *arch;
	struct committed_task at; /* session_task */
	char *cache;		  /* session_scorer, as all below */
	struct sandbox *sandbox;
	struct evaluator *evaluator;
	struct archive *archive;
};

/* The repository of the current folder; `color` is --color's value. Adds the
 * note of what was picked since (`git cherry-pick --continue`). */
struct error *session_open(struct session *s, const char *color) MUST_CHECK;
/* Reads the task at a commit: the nearest avogit.yaml at or above the current
 * folder, or `file` (from the current folder). One that is in the work tree
 * but not in the commit is an error with the git commands that mend it. */
struct error *session_task(struct session *s, const char *commit,
			   const char *file) MUST_CHECK;
/* The task file at this path of the repository, with its files. */
struct error *committed_task_read(struct committed_task *out,
				  const struct session *s, const char *commit,
				  const char *path) MUST_CHECK;
/* The sandbox (said on stderr where there is none), the scorer for the task,
 * and the archive, whose trusted files are those of `base`, which must hold
 * the same task. `stop_now` may be NULL. */
struct error *session_scorer(struct session *s, const char *base,
			     const volatile int *stop_now) MUST_CHECK;
void session_release(struct session *s);

/* Where what can be made again is kept: with the user, since a repository that
 * came as an archive brings its own .git, and might bring objects that are not
 * of its sources. NULL where such a folder does not exist, or is not the user's
 * alone. free() disposes. */
char *session_cache_folder(void) MUST_CHECK;

enum dirty {
	DIRTY_ANY,     /* anything the task needs */
	DIRTY_TRUSTED, /* only what no candidate may change */
};
/* Refuses, with the git commands to run, where the work tree differs from
 * s->at.commit in what the task needs. */
struct error *session_refuse_dirty(const struct session *s,
				   enum dirty what) MUST_CHECK;

/* The `git add` of these paths, from any folder. */
void session_add_command(struct buf *out, const struct session *s,
			 const struct strvec *paths);

/* The work tree's sources on s->at.commit, as a commit that no branch has;
 * `command` is the name of the command that asks. Refuses where what no
 * candidate may change differs, and where a source is missing that none may
 * remove. */
struct error *session_snapshot(struct commit_id *id, const struct session *s,
			       const char *command) MUST_CHECK;

/* The error that says that no such run exists, and what to do: a clone brings
 * branches of runs and no journals. */
struct error *session_no_run(struct session *s) MUST_CHECK;
/* The run a command is about: `wanted`, else the one named like the nearest
 * task, else the only one. One that was fetched gets its branches. free()
 * disposes of *out. */
struct error *session_run_name(char **out, struct session *s,
			       const char *wanted) MUST_CHECK;

/* The champion of a run; an error where nothing was crowned yet. */
struct error *session_champion(struct commit_id *id, struct session *s,
			       const char *run) MUST_CHECK;

DEFINE_RELEASE(session, struct session, session_release)
#define cleanup_session CLEANUP(session)
DEFINE_RELEASE(committed_task, struct committed_task, committed_task_release)
#define cleanup_committed_task CLEANUP(committed_task)

#endif
