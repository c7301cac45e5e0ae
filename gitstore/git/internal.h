/*
 * The basis of the modules of gitstore: the struct of gitstore.h, one way to
 * turn an answer of libgit2 into an error, and operations on objects, trees,
 * refs and locks. Other layers do not include it.
 */
#ifndef GITSTORE_GIT_INTERNAL_H
#define GITSTORE_GIT_INTERNAL_H

#include <git2.h>

#include "gitstore/gitstore.h"

/* How often a compare-and-swap is tried again before it fails. */
#define MAX_CAS_TRIES 16
#define REF_NAME_MAX  256

struct config;	     /* config.c */
struct index;	     /* of the module journal */
struct note_folders; /* of the module notes */

struct gitstore {
	git_repository *repo;
	git_odb *odb;
	/* The part of odb that writes; NULL if there are alternates. */
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
	/* State that later modules keep with the repository; NULL until first
	 * needed. gitstore_close calls the function beside each to free it. */
	struct index *index;
	void (*index_free)(struct index *index);
	struct note_folders *note_folders;
	void (*note_folders_free)(struct note_folders *folders);
	/* The lock on everything shared: descriptor, how often it is held. */
	int lock_fd;
	unsigned lock_depth;
	/* From a candidate's commit to the entry that keeps it reachable. */
	bool holds_for_candidate;
	bool index_is_readable; /* or was replaced: snapshot.c */
	int *run_lock;		/* descriptors, held until gitstore_close */
	size_t n_run_locks, cap_run_locks;
	int turn_fd;   /* of a run that is shared: turn.c; -1: none is */
	bool has_turn; /* it is this process's turn */
	bool is_next;  /* the next one is */
	/* The newest entry of the journal that was written last: the times of a
	 * writer's entries never decrease. */
	git_oid last_entry;
	int64_t last_time_us;
	/* The fingerprint that gitstore_branches applied last. */
	char *branches_done;
	/* The run whose unfinished logs of earlier processes were kept. */
	char logs_swept[RUN_NAME_MAX + 1];
};

/* ---- fail.c: answers of libgit2 ----------------------------------------- */

/* NULL if rc >= 0; otherwise an error "WHAT: why", in words that a user of git
 * knows. */
struct error *git_check(int rc, const char *what, ...) PRINTF(2, 3) MUST_CHECK;
/* True, after a short wait, if another process was in the way for a moment (a
 * lock; a folder that `git gc` removed) and *tries are left. */
bool git_transient(int rc, unsigned *tries);
/* The error of git_repository_open_ext, in words for users. */
struct error *git_open_failed(int rc, const char *dir) MUST_CHECK;

/* ---- lock.c: the private folder and the lock on writing ---------------- */

/* Makes the private folder and reads or draws the writer's id. */
struct error *store_prepare(struct gitstore *g) MUST_CHECK;
/* Gives the writer's id; false if there is none yet. Writes nothing. */
bool store_writer(char out[WRITER_LEN + 1], const struct gitstore *g);
/* Draws another writer's id, because the journals of this one were removed. */
struct error *store_new_writer(struct gitstore *g) MUST_CHECK;
/* Refuses a private folder that is a link or has links in it. */
struct error *private_check(const struct gitstore *g) MUST_CHECK;
/* Keeps every other avogit of this clone away from refs and workspaces until
 * *held is unlocked; may be nested. */
struct error *store_lock(struct gitstore **held, struct gitstore *g) MUST_CHECK;
void store_unlock(struct gitstore *g);
/* Records in the lock which ref is being moved ("" for none), so that the next
 * holder removes the lock file that a killed process left. */
void store_intend(struct gitstore *g, const char *ref);

/* gitstore_lock_run; or for sharing (turn.c). */
struct error *run_lock_take(struct gitstore *g, const char *run,
			    bool shared) MUST_CHECK;

/* ---- turn.c: several processes extend one run --------------------------- */

/* Takes the turn unless another process has it; true if this one has it now, or
 * no run is shared. */
bool turn_try(struct gitstore *g);
/* Gives it away, or waits for it no longer. */
void turn_give(struct gitstore *g);
/* What this process measures in nobody's turn, by its commit; and does another
 * process measure it so? */
void turn_hold(struct gitstore *g, const char *id, bool begins);
bool turn_is_held(const struct gitstore *g, const char *id);
/* Is no longer one of them. Do others extend it still? */
bool turn_leave(struct gitstore *g);
/* Does any process of this clone share this run? Writes nothing. */
bool turn_is_shared(const struct gitstore *g, const char *run);

DEFINE_CLEANUP(store_lock, struct gitstore, store_unlock)
#define cleanup_store_lock CLEANUP(store_lock)

/* If waiting for `path` began over a second ago, prints once on stderr which
 * file it is and its contents. */
void say_waiting(bool *said, double began, const char *path);

/* ---- special.c ----------------------------------------------------------- */

/* Refuses a repository at or above `dir` that contains a pipe or a device,
 * before any code opens it. */
struct error *special_check(const char *dir) MUST_CHECK;

/* ---- gcguard.c ----------------------------------------------------------- */

/* The caller holds the store's lock. Waits for a gc that is under way. */
struct error *gc_guard_take(const struct gitstore *g) MUST_CHECK;
void gc_guard_drop(const struct gitstore *g);
/* Removes the lock of a dead process; false if there was nothing to do. */
bool gc_guard_clear(const struct gitstore *g);

/* ---- config.c, identity.c ------------------------------------------------ */

/* Borrowed; NULL if unset. `key` as git normalizes it. */
const char *config_get(struct gitstore *g, const char *key);
/* Is any key that begins and ends like this "true"? */
bool config_says(struct gitstore *g, const char *begin, const char *end);
/* The settings of the repository itself, by scope; borrowed. */
void config_own(const struct strvec **keys, const struct strvec **values,
		struct gitstore *g);
void config_free(struct config *c);
struct error *identity_load(struct gitstore *g) MUST_CHECK;
/* The author's signature with another time; git_signature_free disposes. */
struct error *identity_at(git_signature **out, const git_signature *who,
			  int64_t seconds) MUST_CHECK;

/* ---- object.c -------------------------------------------------------------*/

struct error *oid_parse(git_oid *out, const char *hex) MUST_CHECK;
struct commit_id oid_hex(const git_oid *id);
struct error *blob_read_from(struct buf *out, git_odb *odb, const git_oid *id,
			     const char *path) MUST_CHECK;
struct error *blob_read(struct buf *out, struct gitstore *g, const git_oid *id,
			const char *path) MUST_CHECK;
/* Between these two calls very many objects are read, each once. libgit2 then
 * does not keep them, which is slow once its cache is full, and does not hash
 * them to compare with their ids: git does not either when it walks. zlib's
 * checksum finds a disk error; an attacker who could put another object into a
 * pack could as well point the ref elsewhere. */
void odb_walk_begin(void);
void odb_walk_end(void);
bool object_is_there(struct gitstore *g, const git_oid *id);
/* An error if it is missing, so that commits and refs never point at it. */
struct error *object_check(struct gitstore *g, const git_oid *id) MUST_CHECK;
/* Was the object written for which libgit2 returned `rc`? It returns 0 even if
 * a full disk kept a loose object from being written (1.5.1), so this checks.
 * `what` describes the failed action. */
struct error *object_written(int rc, struct gitstore *g, const git_oid *id,
			     const char *what) MUST_CHECK;
struct error *blob_write(git_oid *out, struct gitstore *g, const void *data,
			 size_t len) MUST_CHECK;
/* The backend that writes loose objects; NULL if it is not clear which. */
git_odb_backend *loose_backend(git_odb *odb);
/* An object that is already in a pack is then stored twice. `what` describes
 * the failed action. */
struct error *object_write(git_oid *out, struct gitstore *g, const void *data,
			   size_t len, git_object_t type,
			   const char *what) MUST_CHECK;
/* Author or committer NULL: the user, at this time. */
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
/* Its id; the tree itself is written if it is missing. */
struct error *empty_tree_id(const git_oid **out, struct gitstore *g) MUST_CHECK;
struct error *empty_tree(const git_oid **out, struct gitstore *g) MUST_CHECK;

/* ---- tree.c -------------------------------------------------------------- */

/* The owner of an entry's objects: the repository, or a submodule. */
struct tree_source {
	git_repository *repo;
	git_odb *odb;
	const char *prefix;   /* of its paths: "", or "sub/" */
	const char *work_dir; /* with '/' at the end; may be NULL */
	const char *git_dir;  /* with '/' at the end, too */
	unsigned depth;	      /* how many submodules it is nested in */
};

/* Calls `each` for every entry below the commit's tree that is not a folder and
 * whose path matches, in tree order. Does not enter submodules. */
typedef struct error *(*tree_entry_fn)(void *arg,
				       const struct tree_source *from,
				       const char *path,
				       const git_tree_entry *entry);
struct error *tree_each(struct gitstore *g, const git_oid *tree,
			const struct strvec *patterns, tree_entry_fn each,
			void *arg) MUST_CHECK;
/* A regular file that git stores unchanged; executable or not. */
bool entry_is_file(const git_tree_entry *e);
bool entry_is_executable(const git_tree_entry *e);
/* The error that refuses a link or a submodule, with its name. */
struct error *entry_not_a_file(const char *path,
			       const git_tree_entry *e) MUST_CHECK;
struct error *commit_tree_id(git_oid *out, struct gitstore *g,
			     const char *commit) MUST_CHECK;

/* ---- ref_name.c: names of refs, and of their parts --------------------- */

#define JOURNAL_REFS   "refs/avogit/"
#define NOTES_REF      "refs/notes/avogit"
#define BRANCH_REFS    "refs/heads/avo/"
#define SYNC_REFS      "refs/avogit-sync/"
#define SYNC_NOTES_REF "refs/notes/avogit-sync"
/* Where `git fetch` puts them, with the settings of `avogit init`. */
#define FETCHED_REFS	  "refs/avogit-fetched/"
#define FETCHED_NOTES_REF "refs/notes/avogit-fetched"
#define RUN_OUTSIDE	  "@" /* the reserved run for scores outside a run */

/* Refuses a name that cannot be part of a ref, or that is reserved. */
struct error *run_name_check(const char *run) MUST_CHECK;
/* The ref of a writer's journal; free() disposes. */
char *journal_ref(const char *run, const char *writer) MUST_CHECK;
/* The ref of the mark that a removed journal leaves (run/remove.h); free()
 * disposes. */
char *removed_mark_ref(const char *run, const char *writer) MUST_CHECK;
/* Is it a name below avo/RUN/ that avogit gives? All others are the user's. */
bool branch_is_ours(const char *leaf);

enum run_ref_kind { RUN_REF_NONE, RUN_REF_JOURNAL, RUN_REF_LOGS };
struct run_ref {
	enum run_ref_kind kind;
	char run[RUN_NAME_MAX + 1];
	char writer[WRITER_LEN + 1];
};
/* refs/avogit/RUN/KIND/WRITER; false for any other name. */
bool run_ref_parse(struct run_ref *out, const char *ref);
bool ref_is_journal(const char *ref);

/* ---- ref.c --------------------------------------------------------------- */

/* A zero id if there is none. */
struct error *ref_read(git_oid *out, struct gitstore *g,
		       const char *name) MUST_CHECK;
/* Is it ERROR_MOVED, with tries left? Then frees it and waits. The pause grows
 * and is random, because the other process may be moving the ref again. */
bool ref_try_again(struct error *err, unsigned *tries);
/* Compare-and-swap from `from` (zero: it does not exist) to `to`. ERROR_MOVED
 * if it has another value by then. */
struct error *ref_move(struct gitstore *g, const char *name, const git_oid *to,
		       const git_oid *from) MUST_CHECK;
struct error *ref_delete(struct gitstore *g, const char *name) MUST_CHECK;
/* Names of the refs that begin with `prefix`, sorted. */
struct error *ref_names(struct strvec *out, struct gitstore *g,
			const char *prefix) MUST_CHECK;
bool ref_is_checked_out(struct gitstore *g, const char *name);

/* ---- libgit2's own objects, freed when they go out of scope ------------ */

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
