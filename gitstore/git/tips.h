/*
 * Records where the journals end, besides their refs: .git/avogit/tips has a
 * line "ID REF" for each journal that was seen here. A journal has no reflog:
 * after a `git fetch` with fetch.prune, or an accidental `git update-ref -d`,
 * only a dangling commit would be left of it. journal/restore.h restores it
 * from this record. `avogit rm` removes its journals from the record.
 * Everything works without the record, and each line is checked before it is
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

/* A missing or unreadable record is empty. Reads only lines about refs of
 * journals. */
void tip_list_read(struct tip_list *r, const struct gitstore *g);
/* Writes it if it changed. If that fails, the older record stays. */
void tip_list_write(const struct tip_list *r, const struct gitstore *g);
/* NULL if the record does not have this ref. */
struct tip *tip_list_find(const struct tip_list *r, const char *ref);
void tip_list_set(struct tip_list *r, const char *ref, const git_oid *id);
/* Removes a tip; the last one takes its place. */
void tip_list_take_off(struct tip_list *r, struct tip *t);
void tip_list_release(struct tip_list *r);

/* A journal was moved to `id` (a full id), or removed for good ("" as id). The
 * caller holds the store's lock. */
void tips_keep(struct gitstore *g, const char *ref, const char *id);
bool tips_has(const struct gitstore *g, const char *ref);

DEFINE_RELEASE(tip_list, struct tip_list, tip_list_release)
#define cleanup_tip_list CLEANUP(tip_list)

#endif
