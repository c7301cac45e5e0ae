#include "gitstore/git/tips.h"

#include <unistd.h>

#include "core/base/file.h"

#define RECORD_MAX ((size_t)4 << 20)

void tip_list_release(struct tip_list *r)
{
	free(r->tip);
}
struct tip *tip_list_find(const struct tip_list *r, const char *ref)
{
	for (size_t i = 0; i < r->n; i++)
		if (str_eq(r->tip[i].ref, ref))
			return &r->tip[i];
	return NULL;
}

void tip_list_set(struct tip_list *r, const char *ref, const git_oid *id)
{
	struct tip *t = tip_list_find(r, ref);

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

void tip_list_take_off(struct tip_list *r, struct tip *t)
{
	r->changed = true;
	*t = r->tip[--r->n]; // NOLINT(clang-analyzer-core.NullDereference)
}

/* One "ID REF" per line; any other line is dropped. */
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
		if (ref_is_journal(name))
			tip_list_set(r, name, &id);
		text += len + (text[len] == '\n');
	}
	r->changed = false;
}

static char *record_path(const struct gitstore *g)
{
	return xasprintf("%stips", g->private_dir);
}

void tip_list_read(struct tip_list *r, const struct gitstore *g)
{
	cleanup_free char *path = record_path(g);
	cleanup_buf struct buf text = BUF_INIT(RECORD_MAX);
	cleanup_error struct error *err = file_read(&text, path);

	if (!err)
		parse(r, text.data);
}

/* Not flushed: a record lost in a power cut is made again. */
void tip_list_write(const struct tip_list *r, const struct gitstore *g)
{
	cleanup_free char *path = record_path(g);
	cleanup_free char *beside = xasprintf("%s.new", path);
	cleanup_buf struct buf text = BUF_INIT(RECORD_MAX);
	cleanup_error struct error *err = NULL;

	for (size_t i = 0; i < r->n; i++) {
		struct commit_id hex;

		hex = oid_hex(&r->tip[i].id);
		buf_addf(&text, "%s %s\n", hex.hex, r->tip[i].ref);
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

	if (!ref_is_journal(ref))
		return;
	tip_list_read(&r, g);
	if (*id && git_oid_fromstr(&oid, id) == 0)
		tip_list_set(&r, ref, &oid);
	else if (!*id && tip_list_find(&r, ref))
		tip_list_take_off(&r, tip_list_find(&r, ref));
	tip_list_write(&r, g);
}

bool tips_has(const struct gitstore *g, const char *ref)
{
	cleanup_tip_list struct tip_list r = {.n = 0};

	tip_list_read(&r, g);
	return tip_list_find(&r, ref) != NULL;
}
