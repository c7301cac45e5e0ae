/*
 * Compares the notes with the journals: git's own notes command silently drops
 * notes if another writer runs at the same time, and a clone has none.
 *
 * .git/avogit/checked records what was already checked: the notes tree, and how
 * far each journal. Then only what is newer is checked, note by note. If that
 * tree has lost a line since then, everything is checked: all the notes are
 * read once, and the journals as for any command (history.h), which leaves a
 * cache for the next resume.
 */
#include <unistd.h>

#include "core/base/file.h"
#include "gitstore/journal/chain.h"
#include "gitstore/journal/history.h"
#include "gitstore/journal/journal.h"
#include "gitstore/notes/note.h"
#include "gitstore/sync/noted.h"

#define CHECKED_MAX ((size_t)16 << 20)
/* Up to so many notes are looked up one by one; for more, all are read. */
#define FEW_NOTES 1000

/* A measurement whose lines are missing from the notes. */
struct missing {
	struct commit_id commit;
	git_oid entry;
};

struct notes_check {
	struct gitstore *g;
	git_oid tip, tree; /* of the notes */
	struct missing *missing;
	size_t n, cap;
	/* What was checked before; empty: nothing was. */
	struct buf checked;
	const char *run;
	struct noted lines; /* of the tree, if many are looked up */
	bool has_lines;
	/* What this check covers. */
	struct buf now;
	size_t looked_at;
};

static void notes_check_release(struct notes_check *c)
{
	free(c->missing);
	noted_release(&c->lines);
	buf_release(&c->checked);
	buf_release(&c->now);
}
DEFINE_RELEASE(notes_check, struct notes_check, notes_check_release)
#define cleanup_notes_check CLEANUP(notes_check)

/* Does a line of the note begin with this id? */
static bool has_line(const char *note, const char *id, size_t len)
{
	for (const char *line = note; line;) {
		if (strncmp(line, id, len) == 0 &&
		    (line[len] == ' ' || line[len] == '\n' || !line[len]))
			return true;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return false;
}

static void add_missing(struct notes_check *c, const char *commit,
			const git_oid *entry)
{
	struct missing *m;

	GROW(c->missing, c->n, c->cap);
	m = &c->missing[c->n++];
	m->entry = *entry;
	m->commit = commit_id(commit);
}

static struct error *check_measurement(struct notes_check *c,
				       const char *commit, const char *id,
				       const git_oid *entry)
{
	cleanup_buf struct buf note = BUF_INIT((size_t)4 << 20);

	if (c->has_lines && noted_have(&c->lines, commit, id))
		return NULL;
	if (!c->has_lines) {
		TRY(note_text(&note, c->g, &c->tree, commit));
		if (has_line(note.data, id, strlen(id)))
			return NULL;
	}
	add_missing(c, commit, entry);
	return NULL;
}

static struct error *check_entry(void *arg, const struct entry *e)
{
	struct notes_check *c = arg;
	git_oid id;

	c->looked_at++;
	if (e->kind != ENTRY_MEASUREMENT || !e->measurement ||
	    !*e->candidate.hex)
		return NULL;
	TRY(oid_parse(&id, e->id.hex));
	return check_measurement(c, e->candidate.hex, e->measurement->id, &id);
}

/* ---- what was checked before --------------------------------------------- */

/* "KEY <hex>" as a line of the file. */
static bool checked_id(git_oid *out, const struct notes_check *c,
		       const char *key)
{
	size_t len = strlen(key);

	for (const char *line = c->checked.data; line && *line;) {
		if (strncmp(line, key, len) == 0 && line[len] == ' ' &&
		    git_oid_fromstrn(out, line + len + 1,
				     strcspn(line + len + 1, "\n")) == 0)
			return true;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return false;
}

struct reached {
	const struct notes_check *c;
	git_oid id;
};

static const git_oid *reached(void *arg, const char *writer)
{
	struct reached *r = arg;
	cleanup_free char *key = xasprintf("%s/%s", r->c->run, writer);

	return checked_id(&r->id, r->c, key) ? &r->id : NULL;
}

static void add_checked(struct notes_check *c, const char *key,
			const git_oid *id)
{
	struct commit_id hex;

	hex = oid_hex(id);
	buf_addf(&c->now, "%s %s\n", key, hex.hex);
}

static struct error *check_history(struct notes_check *c, const char *run)
{
	cleanup_free struct known *known = NULL;
	size_t n;

	TRY(history_known(&known, &n, c->g, run));
	c->looked_at += n;
	if (n > FEW_NOTES && !c->has_lines) {
		TRY(noted_read(&c->lines, c->g, &c->tree));
		c->has_lines = true;
	}
	for (size_t i = 0; i < n; i++) {
		const struct known *k = &known[i];
		struct commit_id commit;

		commit = oid_hex(&k->candidate);
		TRY(check_measurement(c, commit.hex, k->measurement,
				      &k->entry));
	}
	return NULL;
}

/* How far the journals go; is any of them known? */
static bool add_tips(struct notes_check *c, struct reached *r,
		     const struct chains *chains)
{
	bool any = false;

	for (size_t i = 0; i < chains->n; i++) {
		const struct chain *chain = &chains->chain[i];
		cleanup_free char *key =
			xasprintf("%s/%s", c->run, chain->writer);

		add_checked(c, key, &chain->tip);
		any = any || reached(r, chain->writer);
	}
	return any;
}

static struct error *check_run(struct notes_check *c, const char *run)
{
	cleanup_chains struct chains chains = {.refs = STRVEC_INIT,
					       .brief = true};
	struct reached r = {.c = c};
	struct chain_stop stop = {reached, &r, true};

	c->run = run;
	TRY(chains_open(&chains, c->g, run));
	if (add_tips(c, &r, &chains))
		TRY(chains_walk(&chains, c->g, &stop));
	if (stop.lost || chains_unread(&chains) > FEW_NOTES)
		return check_history(c, run);
	return chains_each(&chains, c->g, check_entry, c);
}

/* ---- what was lost since ----------------------------------------------- */

static struct error *lost_below(bool *lost, const struct notes_check *c,
				const git_oid *before, const git_oid *after,
				const char *path);

/* Are all lines of this blob in the current note? */
static struct error *lost_line(bool *lost, const struct notes_check *c,
			       const git_oid *blob, const char *commit)
{
	cleanup_buf struct buf old = BUF_INIT((size_t)4 << 20);
	cleanup_buf struct buf new = BUF_INIT((size_t)4 << 20);

	TRY(blob_read(&old, c->g, blob, "a note"));
	TRY(note_text(&new, c->g, &c->tree, commit));
	for (const char *line = old.data; *line && !*lost;) {
		size_t word = strcspn(line, " \n");

		*lost = word && !has_line(new.data, line, word);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return NULL;
}

static struct error *lost_entry(bool *lost, const struct notes_check *c,
				const git_tree_entry *e, const git_oid *after,
				const char *path)
{
	cleanup_free char *below =
		xasprintf("%s%s", path, git_tree_entry_name(e));
	git_oid none = {{0}};

	if (git_tree_entry_type(e) == GIT_OBJECT_TREE)
		return lost_below(lost, c, git_tree_entry_id(e),
				  after ? after : &none, below);
	if (strlen(below) != COMMIT_ID_LEN)
		return NULL;
	return lost_line(lost, c, git_tree_entry_id(e), below);
}

/* Compares two trees; does not open what is the same in both. */
static struct error *lost_below(bool *lost, const struct notes_check *c,
				const git_oid *before, const git_oid *after,
				const char *path)
{
	cleanup_git_tree git_tree *old = NULL, *new = NULL;

	if (strlen(path) > COMMIT_ID_LEN)
		return NULL;
	TRY(git_check(git_tree_lookup(&old, c->g->repo, before), "the notes"));
	if (!git_oid_is_zero(after))
		TRY(git_check(git_tree_lookup(&new, c->g->repo, after),
			      "the notes"));
	for (size_t i = 0; i < git_tree_entrycount(old) && !*lost; i++) {
		const git_tree_entry *e = git_tree_entry_byindex(old, i);
		const git_tree_entry *f =
			new ? git_tree_entry_byname(new, git_tree_entry_name(e))
			    : NULL;

		if (f &&
		    git_oid_equal(git_tree_entry_id(e), git_tree_entry_id(f)))
			continue;
		if (f && git_tree_entry_type(f) != git_tree_entry_type(e))
			f = NULL;
		TRY(lost_entry(lost, c, e, f ? git_tree_entry_id(f) : NULL,
			       path));
	}
	return NULL;
}

static void forget_checked(struct notes_check *c)
{
	buf_clear(&c->checked);
}

/* If the recorded tree is gone, there is nothing to compare with. */
static void read_checked(struct notes_check *c, const char *path)
{
	cleanup_error struct error *err = file_read(&c->checked, path);
	bool lost = false;
	git_oid then;

	if (err || !checked_id(&then, c, "notes")) {
		forget_checked(c);
		return;
	}
	if (git_oid_equal(&then, &c->tree))
		return;
	if (!git_oid_is_zero(&then))
		err = lost_below(&lost, c, &then, &c->tree, "");
	if (err || lost)
		forget_checked(c);
}

/* ---- putting back -------------------------------------------------------- */

/* What was found missing before a journal became unreadable is restored. */
static struct error *check_or_skip(struct notes_check *c, const char *run,
				   struct strvec *unread)
{
	struct error *err = check_run(c, run);
	cleanup_free char *why = err ? xstrdup(error_message(err)) : NULL;

	TRY(gitstore_pass_over(err));
	if (why)
		strvec_pushf(unread, "the notes of run '%s': %s", run, why);
	return NULL;
}

static struct error *find_missing(struct notes_check *c, const char *path,
				  struct strvec *unread)
{
	cleanup_strvec struct strvec runs = STRVEC_INIT;

	TRY(notes_tree(&c->tip, &c->tree, c->g));
	read_checked(c, path);
	add_checked(c, "notes", &c->tree);
	TRY(journal_runs(&runs, c->g));
	for (size_t i = 0; i < runs.n; i++)
		TRY(check_or_skip(c, runs.v[i], unread));
	return NULL;
}

/* Restores `n` of them from index `at`, in one commit. */
static struct error *put_back(size_t *restored, const struct notes_check *c,
			      size_t at, size_t n)
{
	struct note_edit edit;

	TRY(note_begin(&edit, c->g));
	for (size_t i = at; i < at + n; i++) {
		cleanup_entry struct entry e = {.kind = ENTRY_STOP};

		TRY(journal_entry(&e, c->g, &c->missing[i].entry));
		TRY(note_put(&edit, c->missing[i].commit.hex, e.measurement));
	}
	TRY(note_commit(&edit));
	*restored += edit.changed;
	return NULL;
}

/* All at once, and fewer if another process adds notes at the same time: an
 * edit that takes longer than the time between two of its edits would never
 * succeed. */
static struct error *put_all_back(size_t *restored, const struct notes_check *c)
{
	cleanup_store_lock struct gitstore *held = NULL;
	size_t most = c->n, n;
	unsigned tries = 0;

	TRY(store_lock(&held, c->g));
	for (size_t at = 0; at < c->n; at += n) {
		struct error *err;

		n = MIN(most, c->n - at);
		err = put_back(restored, c, at, n);
		if (ref_try_again(err, &tries)) {
			most = MAX(n / 4, 1);
			n = 0;
			continue;
		}
		TRY(error_wrap(err, "cannot mend the notes"));
		tries = 0;
	}
	return NULL;
}

/* Records only what was in order: after a repair, the next check examines what
 * was restored. */
static void remember(const struct notes_check *c, const char *path)
{
	if (c->looked_at == 0 && str_eq(c->now.data, c->checked.data))
		return;
	if (*c->g->writer)
		error_free(file_write_atomic(path, c->now.data, c->now.len));
}

struct error *gitstore_mend_notes(size_t *restored, struct strvec *unread,
				  struct gitstore *g)
{
	size_t unread_before = unread->n;
	cleanup_free char *path = xasprintf("%schecked", g->private_dir);
	cleanup_notes_check struct notes_check c = {.g = g};
	size_t n = 0;

	buf_init(&c.checked, CHECKED_MAX);
	buf_init(&c.now, CHECKED_MAX);
	TRY(find_missing(&c, path, unread));
	if (c.n)
		TRY(put_all_back(&n, &c));
	else if (unread->n == unread_before)
		remember(&c, path);
	*restored = n;
	return NULL;
}
