/*
 * The items of a task, or of a repository's git settings, that need the user's
 * consent, and the store of decisions. Everything of a repository runs in the
 * sandbox. What a task asks to run outside it, to contact, or to show there, is
 * used only after the user has read exactly that and run `avogit trust`.
 *
 * Items are trusted in groups, by their use: a key for one address must not go
 * to another because each was trusted at some time.
 *
 * The caller starts an item's program in a folder of its own, so that a word
 * such as "run.sh" cannot name a file of the repository.
 */
#ifndef CMD_SESSION_TRUST_H
#define CMD_SESSION_TRUST_H

#include "core/base/hash.h"
#include "core/task/task.h"

#define TRUST_ITEMS_MAX	  64
#define TRUST_CONTENT_MAX 4096 /* characters that a person must read */

enum trust_group {
	/* Used by every command that scores: the launcher, the runner, and what
	 * score.command may do beyond a build. */
	TRUST_LAUNCHER,
	TRUST_OPERATOR, /* used by `avogit evolve` */
	/* Those above are of a task, those below what git would run: */
	TRUST_SYNC, /* by `avogit sync` and `avogit rm --remote` */
	TRUST_PICK, /* by `avogit pick` */
	TRUST_GROUP_COUNT
};

struct trust_item {
	char *key;	      /* "operator.command" */
	const char *sentence; /* its effect, for people */
	/* The value as JSON in printable ASCII, all else as \uXXXX, so that the
	 * user reads exactly what would be run. */
	char *content;
};

/* The items of one group; if it is empty, nothing needs trust. */
struct trust {
	enum trust_group group;
	struct trust_item item[TRUST_ITEMS_MAX];
	size_t n;
};

/* Collects a task's items. ERROR_TASK if a value is too long to be read. */
struct error *trust_collect(struct trust *out, const struct task *t,
			    enum trust_group group) MUST_CHECK;
/* Adds an item; `value` may hold any bytes. ERROR_TASK if it is too long, or if
 * there are too many items. */
struct error *trust_add(struct trust *t, const char *key, const char *sentence,
			const char *value) MUST_CHECK;
/* Hex SHA-256 of the group, its keys and their contents. */
void trust_digest(char out[HASH_HEX_LEN + 1], const struct trust *t);
void trust_release(struct trust *t);

DEFINE_RELEASE(trust, struct trust, trust_release)
#define cleanup_trust CLEANUP(trust)

/* ---- the store -------------------------------------------------------------
 *
 * The user's decisions, one per line, in $XDG_STATE_HOME/avogit/trust, else in
 * ~/.local/state/avogit/trust. Never in the repository or its .git, which may
 * come from a stranger. A decision holds for one content in one repository (the
 * real path of its git folder).
 *
 *     DIGEST DATE GIT-DIR TASK GROUP
 *
 * Unusual bytes of paths are written as %XX; lines of another form are kept.
 * The file and its folder must be the user's own and closed to others: a user
 * who can write there can run programs as this user.
 */

struct trust_decision {
	char digest[HASH_HEX_LEN + 1];
	char date[21];	   /* clock_format's */
	char *git_dir;	   /* real path, no '/' at its end */
	char *task;	   /* its path in the repository */
	const char *group; /* a trust_group_name */
};

struct trust_store {
	char *path; /* of the file, which may not exist */
	struct trust_decision *decision;
	size_t n, cap;
	struct strvec other; /* lines of another form */
};

/* Reads the store; a missing file is an empty one. ERROR_REFUSED if others can
 * read or write the file, or it is a link. */
struct error *trust_store_read(struct trust_store *out) MUST_CHECK;
/* The decision for this digest in this repository, or NULL. Borrowed. */
const struct trust_decision *trust_store_find(const struct trust_store *s,
					      const char *git_dir,
					      const char *digest);
/* This and trust_store_remove read the file again under a lock and write it by
 * rename. `git_dir` is a real path. */
struct error *trust_store_add(const struct trust *trust, const char *git_dir,
			      const char *task) MUST_CHECK;
/* Removes all decisions for the repository; *removed is their number. */
struct error *trust_store_remove(size_t *removed,
				 const char *git_dir) MUST_CHECK;
void trust_store_release(struct trust_store *s);

DEFINE_RELEASE(trust_store, struct trust_store, trust_store_release)
#define cleanup_trust_store CLEANUP(trust_store)

#endif
