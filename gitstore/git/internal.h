/*
 * What the files of gitstore share: the struct behind gitstore.h, one way to
 * turn an answer of libgit2 into an error, and the small verbs on objects,
 * trees, refs and locks that the rest is made of. Nobody else includes it.
 */
#ifndef GITSTORE_GIT_INTERNAL_H
#define GITSTORE_GIT_INTERNAL_H

#include <git2.h>

#include "gitstore/gitstore.h"

#define JOURNAL_REFS "refs/avogit/"
#define NOTES_REF    "refs/notes/avogit"
#define BRANCH_REFS  "refs/heads/avo/"
#define RUN_OUTSIDE  "@" /* the reserved run: what is scored outside one */
/* Lineages that get a branch of their own. */
#define MAX_LINEAGE_BRANCHES 8
/* Times a compare-and-swap is tried anew before it is called hopeless. */
#define MAX_CAS_TRIES 16
#define REF_NAME_MAX  256

struct config;	     /* config.c */
struct index;	     /* index.c */
struct note_folders; /* note_tree.c */

struct gitstore {
	git_repository *repo;
	git_odb *odb;
	/* What writes, one of the odb's; NULL where there are alternates. */
	git_odb_backend *loose;
	char *git_dir;		     /* common dir, with '/' */
	char *work_dir;		     /* NULL in a bare repository */
	char *private_dir;	     /* git_dir + "avogit/" */
	git_oid empty_tree;	     /* zero until first needed */
	char writer[WRITER_LEN + 1]; /* "" until first needed */
	/* NULL until first needed. */
	struct config *config;
	git_signature *author, *committer;
	bool has_identity;
	int fsync_objects, fsync_refs; /* core.fsync: 0 or 1 */
	struct index *index;
	struct note_folders *note_folders;
	/* The lock on everything shared: descriptor, how often it is held. */
	int lock_fd;
	unsigned lock_depth;
	/* From a candidate's commit to the entry that keeps it reachable. */
	bool holds_for_candidate;
	bool index_is_readable; /* or stands for one: snapshot.c */
	int *run_lock;		/* descriptors, held until gitstore_close */
	size_t n_run_locks, cap_run_locks;
	/* The newest entry of the journal written last: entries of a writer
	 * never go back in time. */
	git_oid last_entry;
	int64_t last_time_us;
	/* What gitstore_branches made true last, to do nothing twice. */
	char *branches_done;
	/* The run whose unfinished logs of earlier processes were kept. */
	char logs_swept[RUN_NAME_MAX + 1];
};

/* ---- fail.c: answers of libgit2 ----------------------------------------- */

/* NULL where rc >= 0; otherwise an error "WHAT: why", in words a user of git
 * knows. */
struct error *git_check(int rc, const char *what, ...) PRINTF(2, 3) MUST_CHECK;
/* True, after a short wait, where another process was in the way for a
 * moment (a lock; a folder that `git gc` took away) and *tries are left. */
bool git_transient(int rc, unsigned *tries);
/* What git_repository_open_ext said, translated. */
struct error *git_open_failed(int rc, const char *dir) MUST_CHECK;

/* ---- lock.c: the private folder and who may write ------------------------ */

/* Makes the private folder and reads or draws the writer's id. */
struct error *store_prepare(struct gitstore *g) MUST_CHECK;
/* The id, where there is one; writes nothing. */
bool store_writer(char out[WRITER_LEN + 1], const struct gitstore *g);
/* Becomes another writer: what this one wrote was removed. */
struct error *store_new_writer(struct gitstore *g) MUST_CHECK;
/* Refuses a private folder that is a link or has links in it. */
struct error *private_check(const struct gitstore *g) MUST_CHECK;
/* Locks every other avogit of this clone out of refs and workspaces until
 * *held is unlocked; may be nested. */
struct error *store_lock(struct gitstore **held, struct gitstore *g) MUST_CHECK;
void store_unlock(struct gitstore *g);
/* Remembers in the lock which ref is being moved ("" for none), so that the
 * next holder clears what a killed process left locked. */
void store_intend(struct gitstore *g, const char *ref);
/* Refuses what cannot be part of a ref, and what is reserved. */
struct error *run_name_check(const char *run) MUST_CHECK;

DEFINE_CLEANUP(store_lock, struct gitstore, store_unlock)
#define cleanup_store_lock CLEANUP(store_lock)

/* Once, on stderr, where the waiting for `path` began over a second ago: what
 * is waited for, and what is written in it. */
void say_waiting(bool *said, double began, const char *path);

/* ---- special.c ----------------------------------------------------------- */

/* Refuses a repository round `dir` that has a pipe or a device in it, before
 * anything opens one. */
struct error *special_check(const char *dir) MUST_CHECK;

/* ---- gcguard.c ----------------------------------------------------------- */

/* The caller holds the store's lock. Waits for a gc that is under way. */
struct error *gc_guard_take(const struct gitstore *g) MUST_CHECK;
void gc_guard_drop(const struct gitstore *g);
/* Removes what a dead process left; false where there was nothing to do. */
bool gc_guard_clear(const struct gitstore *g);

/* ---- config.c, identity.c ------------------------------------------------ */

/* Borrowed; NULL if unset. `key` as git normalizes it. */
const char *config_get(struct gitstore *g, const char *key);
/* Is any key that begins and ends like this "true"? */
bool config_says(struct gitstore *g, const char *begin, const char *end);
/* The repository's own, by scope; borrowed. */
void config_own(const struct strvec **keys, const struct strvec **values,
		struct gitstore *g);
void config_free(struct config *c);
struct error *identity_load(struct gitstore *g) MUST_CHECK;
/* The author's signature with another time; git_signature_free disposes. */
struct error *identity_at(git_signature **out, const git_signature *who,
			  int64_t seconds) MUST_CHECK;

/* ---- object.c -------------------------------------------------------------*/

struct error *oid_parse(git_oid *out, const char *hex) MUST_CHECK;
void oid_hex(char out[COMMIT_ID_LEN + 1], const git_oid *id);
struct error *blob_read_from(struct buf *out, git_odb *odb, const git_oid *id,
			     const char *path) MUST_CHECK;
struct error *blob_read(struct buf *out, struct gitstore *g, const git_oid *id,
			const char *path) MUST_CHECK;
/* Around the reading of very many objects, each once. They are not kept, which
 * costs much where there is no room left; and not hashed to see that they are
 * what their ids say: git does not either when it walks. A disk that errs is
 * noticed by zlib's sum, and who could put another object into a pack's file
 * could as well point the ref elsewhere. */
void odb_walk_begin(void);
void odb_walk_end(void);
bool object_is_there(struct gitstore *g, const git_oid *id);
/* Nobody ever finds a commit or a ref that points at nothing. */
struct error *object_check(struct gitstore *g, const git_oid *id) MUST_CHECK;
/* Was an object written that libgit2 answered `rc` to? It answers 0 even
 * where a full disk kept a loose object from being written (1.5.1), so this
 * looks. `what` could not be done. */
struct error *object_written(int rc, struct gitstore *g, const git_oid *id,
			     const char *what) MUST_CHECK;
struct error *blob_write(git_oid *out, struct gitstore *g, const void *data,
			 size_t len) MUST_CHECK;
/* What writes loose objects; NULL where that cannot be told. */
git_odb_backend *loose_backend(git_odb *odb);
/* Where the object is in a pack already, it is there twice then. `what` could
 * not be done. */
struct error *object_write(git_oid *out, struct gitstore *g, const void *data,
			   size_t len, git_object_t type,
			   const char *what) MUST_CHECK;
/* NULL author or committer: the user's, now. */
struct commit_spec {
	const git_signature *author, *committer;
	const char *message;
	const git_oid *tree;
	const git_oid *parent[2];
	size_t n_parents;
};
struct error *commit_write(git_oid *out, struct gitstore *g,
			   const struct commit_spec *spec) MUST_CHECK;
struct error *commit_lookup(git_commit **out, struct gitstore *g,
			    const char *hex) MUST_CHECK;
/* Its id; and the tree itself, written where it is missing. */
struct error *empty_tree_id(const git_oid **out, struct gitstore *g) MUST_CHECK;
struct error *empty_tree(const git_oid **out, struct gitstore *g) MUST_CHECK;

/* ---- message.c ----------------------------------------------------------- */

/* One line of at most 72 bytes: no control characters, cut with "...". */
void message_subject(struct buf *out, const char *subject);
/* Paragraphs wrapped at 72 columns. */
void message_body(struct buf *out, const char *text);
void message_trailer(struct buf *out, const char *key, const char *value);
void message_of_proposal(struct buf *out, const struct proposal *p);
/* What a commit that quotes a candidate says it is of: a full id. */
#define TRAILER_OF "Avogit-Of"
/* The last trailer of that key; NULL in *out where there is none. */
struct error *commit_trailer(char **out, const git_commit *c,
			     const char *key) MUST_CHECK;

/* ---- tree.c -------------------------------------------------------------- */

/* Whose objects an entry's are: the repository's, or those of a submodule. */
struct tree_source {
	git_repository *repo;
	git_odb *odb;
	const char *prefix;   /* of its paths: "", or "sub/" */
	const char *work_dir; /* with '/' at the end; may be NULL */
	const char *git_dir;  /* so, too */
	unsigned depth;	      /* submodules round it */
};

/* Calls `each` for every entry below the commit's tree that is no folder and
 * whose path matches, in tree order. Submodules are not entered. */
typedef struct error *(*tree_entry_fn)(void *arg,
				       const struct tree_source *from,
				       const char *path,
				       const git_tree_entry *entry);
struct error *tree_each(struct gitstore *g, const git_oid *tree,
			const struct strvec *patterns, tree_entry_fn each,
			void *arg) MUST_CHECK;
/* A regular file that git stores as such; executable or not. */
bool entry_is_file(const git_tree_entry *e);
bool entry_is_executable(const git_tree_entry *e);
/* The refusal of a link or a submodule, by name. */
struct error *entry_not_a_file(const char *path,
			       const git_tree_entry *e) MUST_CHECK;
struct error *commit_tree_id(git_oid *out, struct gitstore *g,
			     const char *commit) MUST_CHECK;

/* ---- snapshot.c ---------------------------------------------------------- */

/* Refuses a path behind a filter of its own, such as LFS: in the work tree's
 * attributes, or with `commit` in that commit's. */
struct error *filter_check(struct gitstore *g, const char *path,
			   const git_oid *commit) MUST_CHECK;

/* ---- compose.c ----------------------------------------------------------- */

struct compose {
	const struct strvec *patterns; /* of what may differ */
	bool may_add, may_remove;
};
/* The tree of `base` with exactly `sources` in the place of what matches. */
struct error *tree_compose(git_oid *out, struct gitstore *g,
			   const git_oid *base, const struct fileset *sources,
			   const struct compose *how) MUST_CHECK;

/* ---- diff.c -------------------------------------------------------------- */

/* Adds the difference of two commits in what matches, as a patch, up to the
 * limit of *text. */
struct error *candidate_diff(struct buf *text, struct gitstore *g,
			     const char *from, const char *to,
			     const struct strvec *patterns) MUST_CHECK;

/* ---- ref.c --------------------------------------------------------------- */

/* A zero id where there is none. */
struct error *ref_read(git_oid *out, struct gitstore *g,
		       const char *name) MUST_CHECK;
/* Compare-and-swap from `from` (zero: it does not exist) to `to`.
 * ERROR_MOVED where it is something else by now. */
/* ERROR_MOVED, and not for the last time? Then frees it, after a pause that
 * grows and that no two draw alike: who moved it may be moving it again. */
bool ref_try_again(struct error *err, unsigned *tries);
struct error *ref_move(struct gitstore *g, const char *name, const git_oid *to,
		       const git_oid *from) MUST_CHECK;
struct error *ref_delete(struct gitstore *g, const char *name) MUST_CHECK;
/* Names of the refs that begin with `prefix`, sorted. */
struct error *ref_names(struct strvec *out, struct gitstore *g,
			const char *prefix) MUST_CHECK;
bool ref_is_checked_out(struct gitstore *g, const char *name);

/* ---- journal.c, chain.c, index.c -------------------------------------------------- */

/* The ref of a writer's journal; free() disposes. */
char *journal_ref(const char *run, const char *writer) MUST_CHECK;
struct error *journal_entry(struct entry *out, struct gitstore *g,
			    const git_oid *id) MUST_CHECK;
/* A failure ends the reading. */
typedef struct error *(*journal_fn)(void *arg, const struct entry *e);
/* Runs that have a journal, "@" included, sorted. */
struct error *journal_runs(struct strvec *out, struct gitstore *g) MUST_CHECK;

/* The entry that holds the newest measurement of this identity; *found. */
struct error *index_find(git_oid *entry, bool *found, struct gitstore *g,
			 const struct identity *identity) MUST_CHECK;
/* Keeps an index that exists up to date. */
void index_add(struct gitstore *g, const struct entry *e);
void index_free(struct index *ix);

/* ---- note.c -------------------------------------------------------------- */

/* Notes that are changed together: one commit of refs/notes/avogit. */
struct note_edit {
	struct gitstore *g;
	git_oid tip, tree; /* zero: there is none */
	bool has_parent;   /* the tip is a commit that can be read */
	size_t changed;
	char last[COMMIT_ID_LEN + 1]; /* commit whose note changed last */
};
struct error *note_begin(struct note_edit *n, struct gitstore *g) MUST_CHECK;
struct error *note_put(struct note_edit *n, const char *commit,
		       const struct measurement *m) MUST_CHECK;
/* Adds a line that is not a measurement's to a commit's note. */
struct error *note_say(struct gitstore *g, const char *commit,
		       const char *line) MUST_CHECK;
/* ERROR_MOVED where another process changed the notes meanwhile. */
struct error *note_commit(struct note_edit *n) MUST_CHECK;
/* The text of a note in this notes tree; empty where there is none. Of one that
 * is too long for `out` what measurement_note_keep leaves; one that is too long
 * to be looked through is empty and truncated. */
struct error *note_text(struct buf *out, struct gitstore *g,
			const git_oid *tree, const char *commit) MUST_CHECK;
/* The tree of refs/notes/avogit; zero where there is none. */
struct error *notes_tree(git_oid *tip, git_oid *tree,
			 struct gitstore *g) MUST_CHECK;

/* The newest measurement in a commit's note; NULL in *out if there is none. */
struct error *note_latest(struct measurement **out, struct gitstore *g,
			  const char *commit) MUST_CHECK;

/* note_tree.c */
void note_folders_free(struct note_folders *f);

/* ---- commits.c ----------------------------------------------------------- */

/* The lineage of a candidate of `run`, down to the base, folded into p (empty
 * before) as its journal would be. */
struct error *population_from_commits(struct population *p, struct gitstore *g,
				      const char *run,
				      const char *id) MUST_CHECK;

/* ---- branches.c, winner.c ------------------------------------------------ */

/* A name below avo/RUN/ that avogit gives; what else is there is the user's. */
bool branch_is_ours(const char *leaf);
/* One commit on the run's base with the tree of `last`, telling its lineage;
 * *made false where that is the base. */
struct error *story_commit(git_oid *out, bool *made, struct gitstore *g,
			   const struct population *p,
			   const struct attempt *last) MUST_CHECK;

/* ---- workspace.c --------------------------------------------------------- */

struct workspaces; /* the open ones of one archive */
struct error *workspaces_new(struct workspaces **out,
			     struct gitstore *g) MUST_CHECK;
struct error *workspaces_open(char **dir, struct workspaces *ws,
			      const struct fileset *files) MUST_CHECK;
void workspaces_close(struct workspaces *ws, const char *dir);
void workspaces_free(struct workspaces *ws);
/* Removes what killed processes left, in number *swept. */
struct error *workspaces_sweep(size_t *swept, struct gitstore *g) MUST_CHECK;

/* ---- sync.c -------------------------------------------------------------- */

#define SYNC_REFS      "refs/avogit-sync/"
#define SYNC_NOTES_REF "refs/notes/avogit-sync"

enum sync_kind { SYNC_NONE, SYNC_JOURNAL, SYNC_LOGS };
struct sync_ref {
	enum sync_kind kind;
	char run[RUN_NAME_MAX + 1];
	char writer[WRITER_LEN + 1];
};
/* refs/avogit/RUN/KIND/WRITER; false for any other name. */
bool sync_ref_parse(struct sync_ref *out, const char *ref);

/* ---- run_log.c ----------------------------------------------------------- */

/* archive.open_log and keep_log; the run's lock is held. */
struct error *run_log_open(int *out, struct gitstore *g, const char *run,
			   const char *name) MUST_CHECK;
struct error *run_log_keep(struct gitstore *g, const char *run,
			   const char *name) MUST_CHECK;
/* Where those that are being written lie. free() disposes. */
char *run_log_folder(const struct gitstore *g, const char *run) MUST_CHECK;

/* ---- libgit2's own objects, freed where they go out of scope ------------- */

DEFINE_CLEANUP(git_reference, git_reference, git_reference_free)
DEFINE_CLEANUP(git_ref_iterator, git_reference_iterator,
	       git_reference_iterator_free)
DEFINE_CLEANUP(git_commit, git_commit, git_commit_free)
DEFINE_CLEANUP(git_tree, git_tree, git_tree_free)
DEFINE_CLEANUP(git_tree_entry, git_tree_entry, git_tree_entry_free)
DEFINE_CLEANUP(git_treebuilder, git_treebuilder, git_treebuilder_free)
DEFINE_CLEANUP(git_object, git_object, git_object_free)
DEFINE_CLEANUP(git_odb_object, git_odb_object, git_odb_object_free)
DEFINE_CLEANUP(git_signature, git_signature, git_signature_free)
DEFINE_CLEANUP(git_config, git_config, git_config_free)
DEFINE_CLEANUP(git_index, git_index, git_index_free)
DEFINE_CLEANUP(git_diff, git_diff, git_diff_free)
DEFINE_CLEANUP(git_patch, git_patch, git_patch_free)
DEFINE_CLEANUP(git_diff_stats, git_diff_stats, git_diff_stats_free)
DEFINE_CLEANUP(git_filter_list, git_filter_list, git_filter_list_free)
DEFINE_RELEASE(git_buf, git_buf, git_buf_dispose)
#define cleanup_git_reference	 CLEANUP(git_reference)
#define cleanup_git_ref_iterator CLEANUP(git_ref_iterator)
#define cleanup_git_commit	 CLEANUP(git_commit)
#define cleanup_git_tree	 CLEANUP(git_tree)
#define cleanup_git_tree_entry	 CLEANUP(git_tree_entry)
#define cleanup_git_treebuilder	 CLEANUP(git_treebuilder)
#define cleanup_git_object	 CLEANUP(git_object)
#define cleanup_git_odb_object	 CLEANUP(git_odb_object)
#define cleanup_git_signature	 CLEANUP(git_signature)
#define cleanup_git_config	 CLEANUP(git_config)
#define cleanup_git_index	 CLEANUP(git_index)
#define cleanup_git_diff	 CLEANUP(git_diff)
#define cleanup_git_patch	 CLEANUP(git_patch)
#define cleanup_git_diff_stats	 CLEANUP(git_diff_stats)
#define cleanup_git_filter_list	 CLEANUP(git_filter_list)
#define cleanup_git_diff	 CLEANUP(git_diff)
#define cleanup_git_buf		 CLEANUP(git_buf)

#endif
