/*
 * What the user has said about trust_groups.h's groups: one line a decision in
 * $XDG_STATE_HOME/avogit/trust, else ~/.local/state/avogit/trust. Never in the
 * repository or its .git, which may come from another person. A decision holds
 * for one content in one repository (the real path of its git folder).
 *
 *     DIGEST DATE GIT-DIR TASK GROUP
 *
 * Paths have every unusual byte as %XX. Lines of another form are kept.
 * The file and its folder must be the user's own and closed to others: who
 * can write there can run programs as the user.
 */
#ifndef CMD_SESSION_TRUST_STORE_H
#define CMD_SESSION_TRUST_STORE_H

#include "cmd/session/trust_groups.h"

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
