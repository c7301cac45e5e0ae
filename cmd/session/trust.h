/*
 * What of a task, or of a repository's own git settings, needs its user's word,
 * and what the user has said. Everything of a repository runs in the sandbox.
 * What a task asks to run outside of it, or to reach, avogit does only after the
 * user has read exactly that and said `avogit trust`.
 *
 * Items come in groups, by their use, and are trusted by the group: a key meant
 * for one address must not go to another because each was trusted at some time.
 *
 * A caller that runs an item starts it in a folder of its own, so that a word
 * such as "run.sh" does not come to mean a file of the repository.
 */
#ifndef CMD_SESSION_TRUST_H
#define CMD_SESSION_TRUST_H

#include "core/base/hash.h"
#include "core/task/task.h"

#define TRUST_ITEMS_MAX	  64
#define TRUST_CONTENT_MAX 4096 /* characters that a person is asked to read */

enum trust_group {
	TRUST_LAUNCHER, /* used by all that measures */
	TRUST_OPERATOR, /* used by `avogit evolve` */
	/* The last of a task; what git would run of the repository: */
	TRUST_SYNC, /* by `avogit sync` and `avogit rm --remote` */
	TRUST_PICK, /* by `avogit pick` */
	TRUST_GROUP_COUNT
};

struct trust_item {
	char *key;	      /* "operator.command" */
	const char *sentence; /* what comes of it, for a person */
	/* The value as JSON in printable ASCII: everything else is written as
	 * \uXXXX, so that what is read is what would be run. */
	char *content;
};

/* The items of one group of a task; none: nothing needs trust. */
struct trust {
	enum trust_group group;
	struct trust_item item[TRUST_ITEMS_MAX];
	size_t n;
};

/* ERROR_TASK where a value is too long to be read by a person. */
struct error *trust_collect(struct trust *out, const struct task *t,
			    enum trust_group group) MUST_CHECK;
/* One more item; `value` in any bytes. ERROR_TASK where it is too long to be
 * read, or there are too many. */
struct error *trust_add(struct trust *t, const char *key, const char *sentence,
			const char *value) MUST_CHECK;
/* Hex SHA-256 of the group, its keys and their contents. */
void trust_digest(char out[HASH_HEX_LEN + 1], const struct trust *t);
void trust_release(struct trust *t);

DEFINE_RELEASE(trust, struct trust, trust_release)
#define cleanup_trust CLEANUP(trust)

/* ---- where it is kept ------------------------------------------------------
 *
 * What the user has said: one line a decision in
 * $XDG_STATE_HOME/avogit/trust, else ~/.local/state/avogit/trust. Never in the
 * repository or its .git, which may come from another person. A decision holds
 * for one content in one repository (the real path of its git folder).
 *
 *     DIGEST DATE GIT-DIR TASK GROUP
 *
 * Paths have every unusual byte as %XX. Lines of another form are kept.
 * The file and its folder must be the user's own and closed to
 * others, since a user who can write there can run programs as this user.
 */

struct decision {
	char digest[HASH_HEX_LEN + 1];
	char date[21];	   /* clock_format's */
	char *git_dir;	   /* real path, no '/' at its end */
	char *task;	   /* its path in the repository */
	const char *group; /* a trust_group_name */
};

struct trust_store {
	char *path; /* of the file, whether it is there or not */
	struct decision *decision;
	size_t n, cap;
	struct strvec other; /* lines of another form */
};

/* An absent file is an empty store; ERROR_REFUSED for one that others can
 * read or write, or that is a link. */
struct error *trust_store_read(struct trust_store *out) MUST_CHECK;
/* The decision on this digest in this repository; NULL: none. Borrowed. */
const struct decision *trust_store_find(const struct trust_store *s,
					const char *git_dir,
					const char *digest);
/* Both read the file again, under a lock, and write it by rename. `git_dir`
 * is a real path. */
struct error *trust_store_add(const struct trust *trust, const char *git_dir,
			      const char *task) MUST_CHECK;
/* Takes back every decision of the repository; *removed is their number. */
struct error *trust_store_remove(size_t *removed,
				 const char *git_dir) MUST_CHECK;
void trust_store_release(struct trust_store *s);

DEFINE_RELEASE(trust_store, struct trust_store, trust_store_release)
#define cleanup_trust_store CLEANUP(trust_store)

#endif
