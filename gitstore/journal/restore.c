#include "gitstore/journal/restore.h"

#include "core/base/file.h"
#include "gitstore/git/tips.h"
#include "gitstore/journal/journal.h"

void tips_mended_release(struct tips_mended *m)
{
	strvec_release(&m->back);
	strvec_release(&m->gone);
}

/* The record is not trusted: the commit must be an entry of that run. */
static bool is_entry_of(struct gitstore *g, const char *ref, const git_oid *id)
{
	cleanup_entry struct entry e = {.kind = ENTRY_STOP};
	cleanup_error struct error *err = journal_entry(&e, g, id);
	struct run_ref name;

	return !err && run_ref_parse(&name, ref) && str_eq(e.run, name.run);
}

/* A journal only grows. If it is not where the record says, then git moved it
 * on, or the record was not yet written; or it was set back, or to something
 * else. */
static bool has_lost_entries(struct gitstore *g, const struct tip *t,
			     const git_oid *now)
{
	return git_oid_is_zero(now) || !is_entry_of(g, t->ref, now) ||
	       git_graph_descendant_of(g->repo, &t->id, now) == 1;
}

static struct error *bring_back(struct tips_mended *out, struct gitstore *g,
				const struct tip *t, const git_oid *now)
{
	if (!is_entry_of(g, t->ref, &t->id)) {
		struct commit_id hex;

		hex = oid_hex(&t->id);
		strvec_pushf(&out->gone, "%s %s", t->ref, hex.hex);
		return NULL;
	}
	/* held: what notes a move has a record of its own */
	TRY(ref_move(g, t->ref, &t->id, now));
	strvec_push(&out->back, t->ref);
	return NULL;
}

struct error *gitstore_is_removed(bool *out, struct gitstore *g,
				  const char *run, const char *writer)
{
	cleanup_free char *ref = removed_mark_ref(run, writer);
	git_oid id;

	TRY(ref_read(&id, g, ref));
	*out = !git_oid_is_zero(&id);
	return NULL;
}

static struct error *is_off(bool *out, struct gitstore *g, const char *ref)
{
	struct run_ref name;

	*out = true;
	if (!run_ref_parse(&name, ref))
		return NULL;
	return gitstore_is_removed(out, g, name.run, name.writer);
}

static struct error *mend_one(struct tips_mended *out, struct gitstore *g,
			      struct tip_list *r, struct tip *t)
{
	git_oid now;
	bool removed;

	TRY(ref_read(&now, g, t->ref));
	if (git_oid_equal(&now, &t->id))
		return NULL;
	TRY(is_off(&removed, g, t->ref));
	if (removed) {
		tip_list_take_off(r, t);
		return NULL;
	}
	if (has_lost_entries(g, t, &now))
		return bring_back(out, g, t, &now);
	tip_list_set(r, t->ref, &now);
	return NULL;
}

/* Notes journals that a plain `git fetch` brought. */
static struct error *note_others(struct tip_list *r, struct gitstore *g)
{
	cleanup_strvec struct strvec names = STRVEC_INIT;

	TRY(ref_names(&names, g, JOURNAL_REFS));
	for (size_t i = 0; i < names.n; i++) {
		git_oid id;
		bool removed;

		if (!ref_is_journal(names.v[i]) || tip_list_find(r, names.v[i]))
			continue;
		TRY(is_off(&removed, g, names.v[i]));
		if (removed)
			continue;
		TRY(ref_read(&id, g, names.v[i]));
		tip_list_set(r, names.v[i], &id);
	}
	return NULL;
}

/* Is there nothing to do? Called without the lock. */
static struct error *in_order(bool *out, struct gitstore *g)
{
	cleanup_tip_list struct tip_list r = {.n = 0};

	*out = false;
	tip_list_read(&r, g);
	for (size_t i = 0; i < r.n; i++) {
		git_oid now;

		TRY(ref_read(&now, g, r.tip[i].ref));
		if (!git_oid_equal(&now, &r.tip[i].id))
			return NULL;
	}
	TRY(note_others(&r, g));
	*out = !r.changed;
	return NULL;
}

struct error *tips_mend(struct tips_mended *out, struct gitstore *g)
{
	cleanup_tips_mended struct tips_mended m = {.back = STRVEC_INIT};
	cleanup_tip_list struct tip_list r = {.n = 0};
	cleanup_store_lock struct gitstore *held = NULL;
	bool fine = true;

	/* A clone that has written nothing here gets no files here. */
	if (file_exists(g->private_dir))
		TRY(in_order(&fine, g));
	if (fine)
		return NULL;
	TRY(store_lock(&held, g));
	tip_list_read(&r, g);
	for (size_t i = r.n; i-- > 0;)
		TRY(mend_one(&m, g, &r, &r.tip[i]));
	TRY(note_others(&r, g));
	tip_list_write(&r, g);
	*out = m;
	m = (struct tips_mended){.back = STRVEC_INIT};
	return NULL;
}

struct error *tips_forget_gone(size_t *n, struct gitstore *g)
{
	cleanup_tip_list struct tip_list r = {.n = 0};
	cleanup_store_lock struct gitstore *held = NULL;

	*n = 0;
	TRY(store_lock(&held, g));
	tip_list_read(&r, g);
	for (size_t i = r.n; i-- > 0;) {
		git_oid now;

		TRY(ref_read(&now, g, r.tip[i].ref));
		if (!git_oid_is_zero(&now) ||
		    is_entry_of(g, r.tip[i].ref, &r.tip[i].id))
			continue;
		tip_list_take_off(&r, &r.tip[i]);
		(*n)++;
	}
	tip_list_write(&r, g);
	return NULL;
}
