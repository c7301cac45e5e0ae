/*
 * Journals: refs/avogit/RUN/journal/WRITER is a chain of commits on the empty
 * tree, an entry each. The first parent is the entry before (the chain ends
 * where that is no commit on the empty tree), another parent is the candidate
 * the entry is about, which so stays reachable whatever became of it.
 */
#include "core/clock.h"
#include "gitstore/internal.h"
#include "gitstore/remove.h"

#define MESSAGE_MAX ((size_t)64 << 20)

static char *journal_ref(const char *run, const char *writer)
{
	return xasprintf(JOURNAL_REFS "%s/journal/%s", run, writer);
}

/* ---- reading one entry --------------------------------------------------- */

/* The JSON of an entry is the last line of its commit's message. */
static struct error *parse_entry(struct entry *out, const char *message)
{
	cleanup_json struct json *j = NULL;
	const char *json = strstr(message, "\n\n");
	size_t len;

	if (!json)
		return error_new(ERROR_MALFORMED, "it has no content");
	json += 2;
	len = strlen(json);
	while (len && json[len - 1] == '\n')
		len--;
	TRY(json_parse(&j, json, len));
	return journal_from_json(out, j);
}

struct error *journal_entry(struct entry *out, struct gitstore *g,
			    const git_oid *id)
{
	cleanup_git_commit git_commit *c = NULL;
	char hex[COMMIT_ID_LEN + 1];

	oid_hex(hex, id);
	TRY(git_check(git_commit_lookup(&c, g->repo, id),
		      "cannot read journal entry %s", hex));
	TRY(error_wrap(parse_entry(out, git_commit_message_raw(c)),
		       "journal entry %s", hex));
	memcpy(out->id, hex, sizeof hex);
	return NULL;
}

/* ---- reading a run ------------------------------------------------------- */

/* The chain of one writer, oldest entry last. */
struct chain {
	const char *writer; /* borrowed */
	git_oid *id;
	size_t n, cap; /* entries not read yet; the next is id[n - 1] */
	struct entry head;
	bool has_head;
};

struct chains {
	struct strvec refs;
	struct chain *chain;
	size_t n;
};

static void chains_release(struct chains *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->chain[i].has_head)
			entry_release(&c->chain[i].head);
		free(c->chain[i].id);
	}
	free(c->chain);
	strvec_release(&c->refs);
}
DEFINE_RELEASE(chains, struct chains, chains_release)
#define cleanup_chains CLEANUP(chains)

/* Collects the ids of a chain; the entries themselves are read one by one, so
 * that a run of any length is read in little memory. */
static struct error *walk_chain(struct chain *c, struct gitstore *g,
				const char *ref)
{
	const git_oid *empty;
	git_oid at;
	bool more;

	TRY(empty_tree_id(&empty, g));
	TRY(ref_read(&at, g, ref));
	do {
		cleanup_git_commit git_commit *commit = NULL;

		TRY(git_check(git_commit_lookup(&commit, g->repo, &at),
			      "cannot read %s", ref));
		if (!git_oid_equal(git_commit_tree_id(commit), empty))
			break;
		GROW(c->id, c->n, c->cap);
		c->id[c->n++] = at;
		more = git_commit_parentcount(commit) > 0;
		if (more)
			at = *git_commit_parent_id(commit, 0);
	} while (more);
	return NULL;
}

static struct error *open_chains(struct chains *c, struct gitstore *g,
				 const char *run)
{
	cleanup_free char *prefix = journal_ref(run, "");

	TRY(ref_names(&c->refs, g, prefix));
	c->chain = xcalloc(c->refs.n, sizeof *c->chain);
	for (size_t i = 0; i < c->refs.n; i++) {
		const char *writer = c->refs.v[i] + strlen(prefix);
		bool removed;

		/* It may have come back by a plain `git fetch`. */
		TRY(gitstore_is_removed(&removed, g, run, writer));
		if (removed)
			continue;
		c->chain[c->n].writer = writer;
		TRY(walk_chain(&c->chain[c->n++], g, c->refs.v[i]));
	}
	return NULL;
}

static struct error *load_head(struct chain *c, struct gitstore *g)
{
	if (c->has_head || c->n == 0)
		return NULL;
	TRY(journal_entry(&c->head, g, &c->id[c->n - 1]));
	snprintf(c->head.writer, sizeof c->head.writer, "%s", c->writer);
	c->n--;
	c->has_head = true;
	return NULL;
}

static bool is_before(const struct entry *a, const struct entry *b)
{
	if (a->time_us != b->time_us)
		return a->time_us < b->time_us;
	return strcmp(a->id, b->id) < 0;
}

/* The chain with the oldest unread entry; NULL when all are read. A chain is
 * in order itself (journal_append sees to it), so merging is sorting. */
static struct error *next_chain(struct chain **out, struct chains *c,
				struct gitstore *g)
{
	struct chain *best = NULL;

	for (size_t i = 0; i < c->n; i++) {
		struct chain *at = &c->chain[i];

		TRY(load_head(at, g));
		if (at->has_head &&
		    (!best || is_before(&at->head, &best->head)))
			best = at;
	}
	*out = best;
	return NULL;
}

struct error *journal_each(struct gitstore *g, const char *run, journal_fn each,
			   void *arg)
{
	cleanup_chains struct chains c = {.refs = STRVEC_INIT};
	struct chain *next;

	TRY(open_chains(&c, g, run));
	for (;;) {
		struct error *err;

		TRY(next_chain(&next, &c, g));
		if (!next)
			return NULL;
		err = each(arg, &next->head);
		entry_release(&next->head);
		next->has_head = false;
		TRY(err);
	}
}

struct plain_reader {
	entry_fn each;
	void *arg;
};

static struct error *read_plain(void *arg, const struct entry *e)
{
	const struct plain_reader *r = arg;

	r->each(r->arg, e);
	return NULL;
}

struct error *gitstore_read(struct gitstore *g, const char *run, entry_fn each,
			    void *arg)
{
	struct plain_reader r = {each, arg};

	return error_wrap(journal_each(g, run, read_plain, &r), "run '%s'",
			  run);
}

/* ---- runs ---------------------------------------------------------------- */

struct error *journal_runs(struct strvec *out, struct gitstore *g)
{
	cleanup_strvec struct strvec refs = STRVEC_INIT;

	TRY(ref_names(&refs, g, JOURNAL_REFS));
	for (size_t i = 0; i < refs.n; i++) {
		const char *run = refs.v[i] + strlen(JOURNAL_REFS);
		size_t len = strcspn(run, "/");
		cleanup_free char *name = xstrndup(run, len);
		bool removed;

		if (!starts_with(run + len, "/journal/") ||
		    strvec_has(out, name))
			continue;
		TRY(gitstore_is_removed(&removed, g, name,
					run + len + strlen("/journal/")));
		if (!removed)
			strvec_push(out, name);
	}
	return NULL;
}

struct error *gitstore_runs(struct strvec *out, struct gitstore *g)
{
	cleanup_strvec struct strvec all = STRVEC_INIT;

	TRY(journal_runs(&all, g));
	for (size_t i = 0; i < all.n; i++)
		if (!str_eq(all.v[i], RUN_OUTSIDE))
			strvec_push(out, all.v[i]);
	return NULL;
}

/* ---- writing ------------------------------------------------------------- */

/* Entries of a writer never go back in time, even where the clock does. */
static struct error *stamp(struct entry *e, struct gitstore *g,
			   const git_oid *tip)
{
	cleanup_entry struct entry last = {.kind = ENTRY_STOP};

	if (e->time_us == 0)
		e->time_us = clock_wall_us();
	if (git_oid_is_zero(tip))
		return NULL;
	if (git_oid_equal(tip, &g->last_entry)) {
		e->time_us = MAX(e->time_us, g->last_time_us + 1);
		return NULL;
	}
	TRY(journal_entry(&last, g, tip));
	e->time_us = MAX(e->time_us, last.time_us + 1);
	return NULL;
}

static struct error *entry_message(char **out, const struct entry *e)
{
	cleanup_json struct json *j = journal_to_json(e);
	cleanup_free char *subject = journal_subject(e);
	cleanup_free char *json = json_print(j);
	cleanup_buf struct buf b = BUF_INIT(MESSAGE_MAX);

	message_subject(&b, subject);
	buf_addf(&b, "\n\n%s\n", json);
	if (b.truncated)
		return error_new(ERROR_TOO_BIG, "a journal entry is too big");
	*out = buf_take(&b);
	return NULL;
}

static struct error *write_entry(git_oid *out, struct gitstore *g,
				 const struct entry *e, const git_oid *tip)
{
	cleanup_git_signature git_signature *author = NULL, *committer = NULL;
	cleanup_free char *message = NULL;
	struct commit_spec spec = {0};
	git_oid candidate;

	TRY(identity_load(g));
	TRY(identity_at(&author, g->author, e->time_us / 1000000));
	TRY(identity_at(&committer, g->committer, e->time_us / 1000000));
	TRY(entry_message(&message, e));
	TRY(empty_tree(&spec.tree, g));
	spec.author = author;
	spec.committer = committer;
	spec.message = message;
	if (!git_oid_is_zero(tip))
		spec.parent[spec.n_parents++] = tip;
	if (*e->candidate) {
		TRY(oid_parse(&candidate, e->candidate));
		spec.parent[spec.n_parents++] = &candidate;
	}
	return commit_write(out, g, &spec);
}

static struct error *append_once(struct gitstore *g, struct entry *e,
				 const char *ref)
{
	git_oid tip, id;

	TRY(ref_read(&tip, g, ref));
	TRY(stamp(e, g, &tip));
	TRY(write_entry(&id, g, e, &tip));
	TRY(ref_move(g, ref, &id, &tip));
	oid_hex(e->id, &id);
	memcpy(e->writer, g->writer, sizeof e->writer);
	g->last_entry = id;
	g->last_time_us = e->time_us;
	return NULL;
}

/* A run that was removed here and is begun anew: its journal of old is still
 * elsewhere, and may come back under its name. */
static struct error *leave_removed(struct gitstore *g, const char *run)
{
	for (;;) {
		bool removed;

		TRY(gitstore_is_removed(&removed, g, run, g->writer));
		if (!removed)
			return NULL;
		TRY(store_new_writer(g));
	}
}

struct error *journal_append(struct gitstore *g, struct entry *e)
{
	cleanup_store_lock struct gitstore *held = NULL;
	cleanup_free char *ref = NULL;
	struct error *err;

	TRY(store_lock(&held, g));
	TRY(leave_removed(g, e->run));
	ref = journal_ref(e->run, g->writer);
	for (int i = 0;; i++) {
		err = append_once(g, e, ref);
		if (!error_is(err, ERROR_MOVED) || i == MAX_CAS_TRIES)
			break;
		error_free(err);
	}
	if (!err)
		index_add(g, e);
	return error_wrap(err, "cannot write the journal of run '%s'", e->run);
}

struct error *gitstore_append(struct gitstore *g, struct entry *e)
{
	cleanup_store_lock struct gitstore *held = NULL;

	TRY(store_lock(&held, g));
	TRY(journal_append(g, e));
	if (e->kind == ENTRY_MEASUREMENT && e->measurement && *e->candidate)
		return gitstore_note_add(g, e->candidate, e->measurement);
	return NULL;
}
