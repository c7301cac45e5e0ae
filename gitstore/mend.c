/* Notes checked against the journals: git's own notes command, run beside
 * another writer, drops notes without a word, and a clone brings none. */
#include "gitstore/internal.h"

/* A measurement whose lines the notes lack. */
struct missing {
	char commit[COMMIT_ID_LEN + 1];
	git_oid entry;
};

struct check {
	struct gitstore *g;
	git_oid tree; /* of the notes */
	struct missing *missing;
	size_t n, cap;
};

static void check_release(struct check *c)
{
	free(c->missing);
}
DEFINE_RELEASE(check, struct check, check_release)
#define cleanup_check CLEANUP(check)

/* Does a line of the note begin with the measurement's id? */
static bool has_line(const char *note, const char *id)
{
	size_t len = strlen(id);

	for (const char *line = note; line;) {
		if (strncmp(line, id, len) == 0 && line[len] == ' ')
			return true;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return false;
}

static struct error *check_entry(void *arg, const struct entry *e)
{
	struct check *c = arg;
	cleanup_buf struct buf note = BUF_INIT((size_t)4 << 20);
	struct missing *m;

	if (e->kind != ENTRY_MEASUREMENT || !e->measurement || !*e->candidate)
		return NULL;
	TRY(note_text(&note, c->g, &c->tree, e->candidate));
	if (has_line(note.data, e->measurement->id))
		return NULL;
	GROW(c->missing, c->n, c->cap);
	m = &c->missing[c->n++];
	memcpy(m->commit, e->candidate, sizeof m->commit);
	return oid_parse(&m->entry, e->id);
}

static struct error *find_missing(struct check *c)
{
	cleanup_strvec struct strvec runs = STRVEC_INIT;
	git_oid tip;

	TRY(notes_tree(&tip, &c->tree, c->g));
	TRY(journal_runs(&runs, c->g));
	for (size_t i = 0; i < runs.n; i++)
		TRY(journal_each(c->g, runs.v[i], check_entry, c));
	return NULL;
}

static struct error *put_back(size_t *restored, const struct check *c)
{
	struct note_edit n;

	TRY(note_begin(&n, c->g));
	for (size_t i = 0; i < c->n; i++) {
		cleanup_entry struct entry e = {.kind = ENTRY_STOP};

		TRY(journal_entry(&e, c->g, &c->missing[i].entry));
		TRY(note_put(&n, c->missing[i].commit, e.measurement));
	}
	*restored = n.changed;
	return note_commit(&n);
}

struct error *gitstore_mend_notes(size_t *restored, struct gitstore *g)
{
	cleanup_check struct check c = {.g = g};
	cleanup_store_lock struct gitstore *held = NULL;
	struct error *err;

	TRY(find_missing(&c));
	*restored = 0;
	if (c.n == 0)
		return NULL;
	TRY(store_lock(&held, g));
	for (int i = 0;; i++) {
		err = put_back(restored, &c);
		if (!error_is(err, ERROR_MOVED) || i == MAX_CAS_TRIES)
			break;
		error_free(err);
	}
	return error_wrap(err, "cannot mend the notes");
}
