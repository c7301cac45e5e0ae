/*
 * Where the journals ended, beside their refs: .git/avogit/tips has a line
 * "ID REF" for each journal that was seen here. A journal has no reflog: after
 * a `git fetch` with fetch.prune, or a stray `git update-ref -d`, only a
 * dangling commit would be left of it. journal/restore.h brings it back from
 * this record. `avogit rm` takes off the record what it removes. The record is
 * no state: without it everything works, and each line is checked before it is
 * used.
 */
#ifndef GITSTORE_GIT_TIPS_H
#define GITSTORE_GIT_TIPS_H

#include "gitstore/git/internal.h"

struct tip {
	git_oid id;
	char ref[REF_NAME_MAX];
};
struct tip_list {
	struct tip *tip;
	size_t n, cap;
	bool changed;
};

/* A record that is missing, or cannot be read, is empty. The journals' refs
 * only: other lines are dropped. */
void tip_list_read(struct tip_list *r, const struct gitstore *g);
/* Where it changed. What cannot be written leaves the older record. */
void tip_list_write(const struct tip_list *r, const struct gitstore *g);
/* NULL where the record does not have this ref. */
struct tip *tip_list_find(const struct tip_list *r, const char *ref);
void tip_list_set(struct tip_list *r, const char *ref, const git_oid *id);
/* The last tip takes its place. */
void tip_list_take_off(struct tip_list *r, struct tip *t);
void tip_list_release(struct tip_list *r);

/* A journal was moved to `id` (a full id), or removed for good ("" as id). The
 * store's lock is held. */
void tips_keep(struct gitstore *g, const char *ref, const char *id);
bool tips_has(const struct gitstore *g, const char *ref);

DEFINE_RELEASE(tip_list, struct tip_list, tip_list_release)
#define cleanup_tip_list CLEANUP(tip_list)

#endif
