/*
 * What commands share: the repository, the task as a commit holds it, the
 * sandbox and the scorer. A command opens only what it needs; session_release
 * closes everything in the right order.
 */
#ifndef CMD_SESSION_SESSION_H
#define CMD_SESSION_SESSION_H

#include "cmd/ui/color.h"
#include "gitstore/gitstore.h"
#include "scorer/scorer.h"

/* A task and the files of the commit that it was read from; nothing comes from
 * the work tree. */
struct committed_task {
	struct task *task;
	struct commit_id commit;
	struct fileset files;
	char id[IDENTITY_HEX_LEN + 1]; /* task_identity */
};
void committed_task_release(struct committed_task *t);
/* Lines of the task file that are still as `avogit init` guessed them. */
size_t committed_task_guesses(const struct committed_task *t);

struct session {
	struct gitstore *git;
	struct palette color;
	double comparison_seconds; /* for session_scorer; 0: the scorer's own */
	/* Replaces the task's build.arch unless NULL. Borrowed. */
	const char *arch;
	/* Cards for session_scorer, by number or UUID; NULL or empty: the
	 * first. Borrowed. */
	const struct strvec *gpus;
	struct committed_task at; /* session_task */
	char *cache;		  /* set by session_scorer, as are all below */
	struct sandbox *sandbox;
	struct evaluator *evaluator; /* the task's scorer, on the first card */
	struct evaluator **other;    /* scorers on the other cards; owned */
	size_t n_other;
	volatile int stop_others; /* what these look at: scorer_pool_new */
	/* What the scorer on each card does at the moment; n_other + 1. */
	struct work_stage *stage;
	/* Seconds for which it waited until others had left the CPUs. */
	double waited;
	struct evaluator *cards; /* all of them as one; NULL: one card */
	struct archive *archive;
};

/* Opens the repository of the current folder; `color` is --color's value. Adds
 * missing notes of picked commits (`git cherry-pick --continue`). */
struct error *session_open(struct session *s, const char *color) MUST_CHECK;
/* Reads the task at a commit: the nearest avogit.yaml at or above the current
 * folder, or `file` (relative to the current folder). A file that is only in
 * the work tree is an error that names the git commands to commit it. */
struct error *session_task(struct session *s, const char *commit,
			   const char *file) MUST_CHECK;
/* The path of the nearest task file that a commit has. free() disposes. */
struct error *session_nearest_task(char **out, const struct session *s,
				   const char *commit) MUST_CHECK;
/* Reads the task file at this path of the repository, with its files. */
struct error *committed_task_read(struct committed_task *out,
				  const struct session *s, const char *commit,
				  const char *path) MUST_CHECK;
/* Reads the task of a run as it is at this commit: at the path that the run names,
 * else (NULL, as in old journals) as session_task. */
struct error *session_run_task(struct session *s, const char *commit,
			       const char *path) MUST_CHECK;
/* Opens the sandbox (reports on stderr if there is none), the task's scorer and
 * the archive. The archive's trusted files are those of `base`, which must have
 * the same task. `stop_now` NULL: for a command with nothing to finish, which a
 * first signal stops. */
struct error *session_scorer(struct session *s, const char *base,
			     const volatile int *stop_now) MUST_CHECK;
void session_release(struct session *s);

/* The user's folder for data that can be made again. It is not in the
 * repository, because a .git from a stranger could contain wrong build results.
 * NULL if the folder does not exist or others can access it. free()
 * disposes. */
char *session_cache_folder(void) MUST_CHECK;

enum dirty {
	DIRTY_ANY,     /* anything the task needs */
	DIRTY_TRUSTED, /* only what no candidate may change */
};
/* ERROR_REFUSED with the git commands to run if the work tree differs from
 * s->at.commit in files that the task needs. */
struct error *session_refuse_dirty(const struct session *s,
				   enum dirty what) MUST_CHECK;

/* Adds a `git add` command for these paths that works in any folder. */
void session_add_command(struct buf *out, const struct session *s,
			 const struct strvec *paths);

/* Commits the work tree's sources on s->at.commit without a branch; `command`
 * names the calling command. Refuses if a file that no candidate may change
 * differs, or a source that may not be removed is missing. */
struct error *session_snapshot(struct commit_id *id, const struct session *s,
			       const char *command) MUST_CHECK;

DEFINE_RELEASE(session, struct session, session_release)
#define cleanup_session CLEANUP(session)
DEFINE_RELEASE(committed_task, struct committed_task, committed_task_release)
#define cleanup_committed_task CLEANUP(committed_task)

#endif
