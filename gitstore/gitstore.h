/*
 * The repository as avogit uses it: candidates, journals, notes, branches and
 * workspaces. Only this folder includes git2.h. docs/history.md explains where
 * things are stored, and why.
 *
 * Nothing here touches HEAD, the index, the work tree, or a branch outside
 * refs/heads/avo/. Every ref is moved by compare-and-swap under a lock.
 */
#ifndef GITSTORE_GITSTORE_H
#define GITSTORE_GITSTORE_H

#include "core/run/archive.h"
#include "core/task/task.h"

struct gitstore;

/* Finds the repository at or above `dir`. Reads the identity (or the fallback)
 * and makes <git dir>/avogit/ and this clone's writer id when first needed.
 * What libgit2 cannot handle (sha256, reftable) is an error. */
struct error *gitstore_open(struct gitstore **out, const char *dir) MUST_CHECK;
/* Also releases the locks on runs. NULL is allowed. */
void gitstore_close(struct gitstore *g);

/* Absolute, with a '/' at the end. work_dir is NULL in a bare repository. */
const char *gitstore_git_dir(const struct gitstore *g); /* common dir */
const char *gitstore_work_dir(const struct gitstore *g);
/* `dir` relative to the top of the work tree: "" or "sub/dir/". */
struct error *gitstore_prefix(char **out, const struct gitstore *g,
			      const char *dir) MUST_CHECK;
bool gitstore_has_identity(const struct gitstore *g);
/* A key of git's configuration, NULL if unset; free() disposes. */
char *gitstore_config(const struct gitstore *g, const char *key);
/* The same, but only from the user's and the system's files and `git -c`: a
 * repository's own settings may come from others. */
char *gitstore_user_config(const struct gitstore *g, const char *key);
/* All such settings whose key has this beginning and this end, with the end's
 * and the beginning's cut off: "gpt-5.6" of "avogit.gpt-5.6.price". */
void gitstore_user_config_list(struct strvec *names, struct strvec *values,
			       const struct gitstore *g, const char *begin,
			       const char *end);
/* Adds to the repository's own config file, unless an equal value is there. */
struct error *gitstore_config_add(struct gitstore *g, const char *key,
				  const char *value) MUST_CHECK;
/* Removes this value from it; nothing if it is not there. */
struct error *gitstore_config_remove(struct gitstore *g, const char *key,
				     const char *value) MUST_CHECK;

/* REV as git understands it -> full id of a commit. If git does not know it,
 * avogit's own names: "NAME" of a run, "NAME#12" with an attempt number. */
struct error *gitstore_resolve(struct commit_id *id, struct gitstore *g,
			       const char *rev) MUST_CHECK;
/* The same; *run is the run that such a name names, "" if git knew it. */
struct error *gitstore_resolve_in(struct commit_id *id,
				  char run[RUN_NAME_MAX + 1],
				  struct gitstore *g,
				  const char *rev) MUST_CHECK;
/* Names of branches, those of remotes too, and tags, as git takes them:
 * "main", "origin/main", "v1". */
struct error *gitstore_rev_names(struct strvec *out,
				 struct gitstore *g) MUST_CHECK;
struct error *gitstore_remote_names(struct strvec *out,
				    struct gitstore *g) MUST_CHECK;
/* Short, unambiguous, for people. */
void gitstore_abbreviate(char out[COMMIT_ID_LEN + 1], struct gitstore *g,
			 const char *id);

/* Files of a commit whose paths match; below a submodule those of the commit
 * that is recorded for it. All must be regular: a link, and a submodule that
 * matches itself, are refused by name. */
struct error *gitstore_files(struct fileset *out, struct gitstore *g,
			     const char *commit,
			     const struct strvec *patterns) MUST_CHECK;
/* One file of a commit. ERROR_NOT_FOUND if the commit does not have it. */
struct error *gitstore_file(struct buf *out, struct gitstore *g,
			    const char *commit, const char *path) MUST_CHECK;
/* Writes the whole tree of a commit below `dir`, an empty folder, with line
 * ends as .gitattributes and core.autocrlf say. No filter that is a program is
 * run, and submodules stay empty. */
struct error *gitstore_export(struct gitstore *g, const char *commit,
			      const char *dir) MUST_CHECK;
/* Every path of the commit's tree that matches, without reading blobs. */
struct error *gitstore_paths(struct strvec *out, struct gitstore *g,
			     const char *commit,
			     const struct strvec *patterns) MUST_CHECK;
/* The commit's own submodules below which paths could match. */
struct error *gitstore_submodules(struct strvec *out, struct gitstore *g,
				  const char *commit,
				  const struct strvec *patterns) MUST_CHECK;
/* The files of the user's work tree that match, as git would commit them: line
 * ends and $Id$ as .gitattributes and core.autocrlf say. `commit`: the one that
 * the work tree is compared with, for modes and ignored files. */
struct error *gitstore_work_files(struct fileset *out, struct gitstore *g,
				  const char *commit,
				  const struct strvec *patterns) MUST_CHECK;
/* Paths that match and differ between the commit and the user's work tree
 * (changed, missing or untracked): what the user has not committed yet. Below a
 * submodule only the submodule's path is given. */
struct error *gitstore_differing(struct strvec *out, struct gitstore *g,
				 const char *commit,
				 const struct strvec *patterns) MUST_CHECK;

/* Is `ancestor` the commit itself or among its ancestors? */
struct error *gitstore_descends(bool *out, struct gitstore *g, const char *id,
				const char *ancestor) MUST_CHECK;

struct commit_info {
	struct commit_id id;
	struct commit_id tree;
	struct commit_id *parents;
	size_t n_parents;
	char *message, *author; /* "Name <mail>" */
	int64_t time;		/* seconds */
};
struct error *gitstore_commit_info(struct commit_info *out, struct gitstore *g,
				   const char *id) MUST_CHECK;
void commit_info_release(struct commit_info *c);

/* Makes a candidate on `base` from the work tree's sources (never on a branch):
 * `avogit score` without a REV scores it. *same if nothing differs; id is then
 * the base's. */
struct error *gitstore_snapshot(struct commit_id *id, bool *same,
				struct gitstore *g, const char *base,
				const struct strvec *source_patterns,
				const char *subject) MUST_CHECK;

/* The archive for one task and run base; archive_free disposes. `base` holds
 * the files that candidates may not change. */
struct error *gitstore_archive(struct archive **out, struct gitstore *g,
			       const struct task *task,
			       const char *base) MUST_CHECK;
void gitstore_archive_free(struct archive *a);
/* Its workspaces are opened at this absolute path instead of in the git
 * directory. `chosen`: exactly there; else in a folder that git ignores. */
void gitstore_place_workspaces(struct archive *a, const char *place,
			       bool chosen);

/* Appends an entry to this clone's journal of e->run ("@" for scores outside a
 * run) and, for a measurement, writes the note. */
struct error *gitstore_append(struct gitstore *g, struct entry *e) MUST_CHECK;
typedef void (*entry_fn)(void *arg, const struct entry *e);
/* Folds the run into p (emptied before), with the result of applying every
 * entry one by one, but most of it from a cache if there is one. Measurements
 * are brief except the start's, the champion's and the newest. */
struct error *gitstore_population(struct population *p, struct gitstore *g,
				  const char *run) MUST_CHECK;
/* The same of what was measured on one kind of machine only
 * (population.only), without the cache. */
struct error *gitstore_population_on(struct population *p, struct gitstore *g,
				     const char *run,
				     const char *kind) MUST_CHECK;
/* The same for the newest n attempts only: the others may lack all but what
 * shows where lineages begin. For display, not for resuming. */
struct error *gitstore_recent(struct population *p, struct gitstore *g,
			      const char *run, size_t n) MUST_CHECK;
/* From the journal, the whole measurement of which the population keeps a brief
 * one; NULL in *out if the population's is whole, or missing. */
struct error *gitstore_recall(struct measurement **out, struct gitstore *g,
			      const struct attempt *a) MUST_CHECK;
/* Only the champion's id, "" if there is none. */
struct error *gitstore_champion(struct commit_id *id, struct gitstore *g,
				const char *run) MUST_CHECK;
/* Calls `each` for every entry of the run about this candidate, by time, then
 * id. */
struct error *gitstore_read_about(struct gitstore *g, const char *run,
				  const char *candidate, entry_fn each,
				  void *arg) MUST_CHECK;
/* One entry of a journal. entry_release disposes. */
struct error *gitstore_entry(struct entry *out, struct gitstore *g,
			     const char *id) MUST_CHECK;
/* Names of the runs that have a journal, sorted; without "@". */
struct error *gitstore_runs(struct strvec *out, struct gitstore *g) MUST_CHECK;
/* A remote-tracking branch of a run, "origin/avo/RUN/best"; NULL if there is
 * none. free() disposes. */
char *gitstore_run_elsewhere(struct gitstore *g) MUST_CHECK;
/* Only one process of this clone may extend a run at a time: an error that
 * names the other's pid, else the lock is held until gitstore_close. Locking
 * again what this store has locked does nothing. */
struct error *gitstore_lock_run(struct gitstore *g, const char *run) MUST_CHECK;
/* The same for a process that shares the run with others that came this way: it
 * has the turn afterwards, which its archive gives and takes (take_turn). Waits
 * for the turn of another. */
struct error *gitstore_share_run(struct gitstore *g,
				 const char *run) MUST_CHECK;
/* Do others share the run, too, that gitstore_share_run took? */
bool gitstore_has_others(const struct gitstore *g);
/* The id of the process of this clone that extends the run now; -1: there is
 * one with unknown id; 0: there is none. Writes nothing. */
long gitstore_run_holder(const struct gitstore *g, const char *run);
/* For those who look on (gitstore_run_doing): what the process that holds this
 * run's lock does now, in lines. Nothing where this store does not hold it, or it
 * cannot be written. */
void gitstore_say_doing(struct gitstore *g, const char *run, const char *text);
/* Adds the lines that the process said that extends the run now. As untrusted
 * as a file of the repository. Writes nothing. */
void gitstore_run_doing(struct buf *out, const struct gitstore *g,
			const char *run);
/* Is this the id of this clone as a writer of journals? Writes nothing. */
bool gitstore_is_writer(const struct gitstore *g, const char *writer);
/* The id of this clone as a writer of journals; drawn now if it has none. */
struct error *gitstore_writer(char out[WRITER_LEN + 1],
			      struct gitstore *g) MUST_CHECK;

/* The note of a commit under refs/notes/avogit; NULL in *out if none. */
struct error *gitstore_note(char **out, struct gitstore *g,
			    const char *commit) MUST_CHECK;
/* Adds a measurement to the note of a commit. */
struct error *gitstore_note_add(struct gitstore *g, const char *commit,
				const struct measurement *m) MUST_CHECK;
/* For callers that read all runs: drops an error that says that one run cannot
 * be read (its journal is damaged, or lacks objects) and returns NULL; returns
 * every other error. */
struct error *gitstore_pass_over(struct error *err) MUST_CHECK;
/* Restores the lines that the notes have lost from the journals; *restored is
 * the number of notes changed. A run whose journal cannot be read is skipped,
 * and added to `unread` with the reason; the other runs are still restored. */
struct error *gitstore_mend_notes(size_t *restored, struct strvec *unread,
				  struct gitstore *g) MUST_CHECK;
/* Moves avo/<run>/best, winner and the numbered lineages to match the
 * population; makes the winner commit. */
struct error *gitstore_branches(struct gitstore *g,
				const struct population *p) MUST_CHECK;
/* The same for a run whose journals were fetched without branches; true if it
 * did so. A branch that cannot be written is left. */
bool gitstore_branches_missing(struct gitstore *g, const char *run);
/* Refuses (with a remedy) if a branch called "avo" or "avo/<run>" blocks the
 * branches of a run. */
struct error *gitstore_check_branches(struct gitstore *g,
				      const char *run) MUST_CHECK;

DEFINE_CLEANUP(gitstore, struct gitstore, gitstore_close)
#define cleanup_gitstore CLEANUP(gitstore)
DEFINE_RELEASE(commit_info, struct commit_info, commit_info_release)
#define cleanup_commit_info CLEANUP(commit_info)
DEFINE_CLEANUP(archive, struct archive, gitstore_archive_free)
#define cleanup_archive CLEANUP(archive)

#endif
