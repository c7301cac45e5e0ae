/*
 * What of a task, or of a repository's own git settings, needs its user's word. Everything of a repository runs in
 * the sandbox; what a task asks to run outside of it, or to reach, is nothing
 * avogit does before the user has read exactly that and said `avogit trust`.
 *
 * Items come in groups, by who uses them, and are trusted by the group: a key
 * meant for one address must not go to another because each was trusted at
 * some time. Where trust is kept: trust_store.h.
 *
 * A caller that runs an item starts it in a folder of its own, so that a word
 * such as "run.sh" does not come to mean a file of the repository.
 */
#ifndef CMD_SESSION_TRUST_GROUPS_H
#define CMD_SESSION_TRUST_GROUPS_H

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
const char *trust_group_name(enum trust_group g);

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

#endif
