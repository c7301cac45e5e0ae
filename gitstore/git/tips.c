#include "gitstore/git/tips.h"

#include <unistd.h>

#include "core/base/file.h"
#include "gitstore/git/internal.h"

#define RECORD_MAX ((size_t)4 << 20)

void tips_mended_release(struct tips_mended *m)
{
	strvec_release(&m->back);
	strvec_release(&m->gone);
}

/* ---- the record ---------------------------------------------------------- */

struct tip {
	git_oid id;
	char ref[REF_NAME_MAX];
};

struct tip_list {
	struct tip *tip;
	size_t n, cap;
	bool changed;
};

static void tip_list_release(struct tip_list *r)
{
	free(r->tip);
}
DEFINE_RELEASE(tip_list, struct tip_list, tip_list_release)
#define cleanup_tip_list CLEANUP(tip_list)

static bool is_journal(const char *ref)
{
	struct sync_ref name;

	return sync_ref_parse(&name, ref) && name.kind == SYNC_JOURNAL;
}

static struct tip *find(const struct tip_list *r, const char *ref)
{
	for (size_t i = 0; i < r->n; i++)
		if (str_eq(r->tip[i].ref, ref))
			return &r->tip[i];
	return NULL;
}

static void set(struct tip_list *r, const char *ref, const git_oid *id)
{
	struct tip *t = find(r, ref);

	if (t && git_oid_equal(&t->id, id))
		return;
	r->changed = true;
	if (!t) {
		GROW(r->tip, r->n, r->cap);
		t = &r->tip[r->n++];
		snprintf(t->ref, sizeof t->ref, "%s", ref);
	}
	t->id = *id;
}

static void take_off(struct tip_list *r, struct tip *t)
{
	r->changed = true;
	*t = r->tip[--r->n]; // NOLINT(clang-analyzer-core.NullDereference)
}

/* "ID REF" a line; any other line is dropped. */
static void parse(struct tip_list *r, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *ref = text + GIT_OID_HEXSZ + 1;
		char name[REF_NAME_MAX] = "";
		git_oid id;

		if (len > GIT_OID_HEXSZ + 1 && text[GIT_OID_HEXSZ] == ' ' &&
		    len - GIT_OID_HEXSZ - 1 < sizeof name &&
		    git_oid_fromstrn(&id, text, GIT_OID_HEXSZ) == 0)
			memcpy(name, ref, len - GIT_OID_HEXSZ - 1);
		if (is_journal(name))
			set(r, name, &id);
		text += len + (text[len] == '\n');
	}
	r->changed = false;
}

static char *record_path(const struct gitstore *g)
{
	return xasprintf("%stips", g->private_dir);
}

static void record_read(struct tip_list *r, const struct gitstore *g)
{
	cleanup_free char *path = record_path(g);
	cleanup_buf struct buf text = BUF_INIT(RECORD_MAX);
	cleanup_error struct error *err = file_read(&text, path);

	if (!err)
		parse(r, text.data);
}

/* Not flushed: a record that a power cut takes is made again. */
static void record_write(const struct tip_list *r, const struct gitstore *g)
{
	cleanup_free char *path = record_path(g);
	cleanup_free char *beside = xasprintf("%s.new", path);
	cleanup_buf struct buf text = BUF_INIT(RECORD_MAX);
	cleanup_error struct error *err = NULL;

	for (size_t i = 0; i < r->n; i++) {
		char hex[COMMIT_ID_LEN + 1];

		oid_hex(hex, &r->tip[i].id);
		buf_addf(&text, "%s %s\n", hex, r->tip[i].ref);
	}
	if (!r->changed || text.truncated)
		return;
	err = file_write(beside, text.data, text.len, false);
	if (err || rename(beside, path) < 0)
		unlink(beside);
}

void tips_keep(struct gitstore *g, const char *ref, const char *id)
{
	cleanup_tip_list struct tip_list r = {.n = 0};
	git_oid oid;

	if (!is_journal(ref))
		return;
	record_read(&r, g);
	if (*id && git_oid_fromstr(&oid, id) == 0)
		set(&r, ref, &oid);
	else if (!*id && find(&r, ref))
		take_off(&r, find(&r, ref));
	record_write(&r, g);
}

bool tips_has(const struct gitstore *g, const char *ref)
{
	cleanup_tip_list struct tip_list r = {.n = 0};

	record_read(&r, g);
	return find(&r, ref) != NULL;
}

/* ---- bringing back ------------------------------------------------------- */

/* The record could say anything: only what is an entry of that run is. */
static bool is_entry_of(struct gitstore *g, const char *ref, const git_oid *id)
{
	cleanup_entry struct entry e = {.kind = ENTRY_STOP};
	cleanup_error struct error *err = journal_entry(&e, g, id);
	struct sync_ref name;

	return !err && sync_ref_parse(&name, ref) && str_eq(e.run, name.run);
}

/* A journal only grows: one that is not where it was left was moved on by git,
 * or in the moment before the record was written; or it was set back, or to
 * something else. */
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
		char hex[COMMIT_ID_LEN + 1];

		oid_hex(hex, &t->id);
		strvec_pushf(&out->gone, "%s %s", t->ref, hex);
		return NULL;
	}
	/* held: what notes a move has a record of its own */
	TRY(ref_move(g, t->ref, &t->id, now));
	strvec_push(&out->back, t->ref);
	return NULL;
}

char *removed_mark_ref(const char *run, const char *writer)
{
	return xasprintf(JOURNAL_REFS "%s/removed/%s", run, writer);
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
	struct sync_ref name;

	*out = true;
	if (!sync_ref_parse(&name, ref))
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
		take_off(r, t);
		return NULL;
	}
	if (has_lost_entries(g, t, &now))
		return bring_back(out, g, t, &now);
	set(r, t->ref, &now);
	return NULL;
}

/* What came by a plain `git fetch`. */
static struct error *note_others(struct tip_list *r, struct gitstore *g)
{
	cleanup_strvec struct strvec names = STRVEC_INIT;

	TRY(ref_names(&names, g, JOURNAL_REFS));
	for (size_t i = 0; i < names.n; i++) {
		git_oid id;
		bool removed;

		if (!is_journal(names.v[i]) || find(r, names.v[i]))
			continue;
		TRY(is_off(&removed, g, names.v[i]));
		if (removed)
			continue;
		TRY(ref_read(&id, g, names.v[i]));
		set(r, names.v[i], &id);
	}
	return NULL;
}

/* Without the lock: is there anything to do? */
static struct error *in_order(bool *out, struct gitstore *g)
{
	cleanup_tip_list struct tip_list r = {.n = 0};

	*out = false;
	record_read(&r, g);
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

	/* Who has written nothing here leaves nothing here. */
	if (file_exists(g->private_dir))
		TRY(in_order(&fine, g));
	if (fine)
		return NULL;
	TRY(store_lock(&held, g));
	record_read(&r, g);
	for (size_t i = r.n; i-- > 0;)
		TRY(mend_one(&m, g, &r, &r.tip[i]));
	TRY(note_others(&r, g));
	record_write(&r, g);
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
	record_read(&r, g);
	for (size_t i = r.n; i-- > 0;) {
		git_oid now;

		TRY(ref_read(&now, g, r.tip[i].ref));
		if (!git_oid_is_zero(&now) ||
		    is_entry_of(g, r.tip[i].ref, &r.tip[i].id))
			continue;
		take_off(&r, &r.tip[i]);
		(*n)++;
	}
	record_write(&r, g);
	return NULL;
}
