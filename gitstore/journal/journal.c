/*
 * Journals: refs/avogit/RUN/journal/WRITER is a chain of commits on the empty
 * tree, one for each entry. The first parent is the previous entry (the chain
 * ends if it is not a commit on the empty tree); another parent is the
 * candidate that the entry is about, which so stays reachable in any case.
 */
#include "core/base/clock.h"
#include "gitstore/candidate/candidate.h"
#include "gitstore/journal/chain.h"
#include "gitstore/journal/journal.h"
#include "gitstore/journal/restore.h"

/* The rest of an entry has names, dates and parents. */
#define MESSAGE_MAX (JOURNAL_ENTRY_MAX - ((size_t)16 << 10))

/* ---- reading ------------------------------------------------------------- */

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

/* The times of a writer's entries never decrease, even if the clock does. */
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
	if (*e->candidate.hex) {
		TRY(oid_parse(&candidate, e->candidate.hex));
		/* Checked like every parent, so that no entry points at a
		 * missing commit. */
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
	e->id = oid_hex(&id);
	memcpy(e->writer, g->writer, sizeof e->writer);
	g->last_entry = id;
	g->last_time_us = e->time_us;
	return NULL;
}

/* A run that was removed here and begins again: its old journal still exists
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

static struct error *journal_append(struct gitstore *g, struct entry *e)
{
	cleanup_store_lock struct gitstore *held = NULL;
	cleanup_free char *ref = NULL;
	struct error *err;
	unsigned tries = 0;

	TRY(store_lock(&held, g));
	TRY(leave_removed(g, e->run));
	ref = journal_ref(e->run, g->writer);
	do
		err = append_once(g, e, ref);
	while (ref_try_again(err, &tries));
	if (!err)
		index_add(g, e);
	return error_wrap(err, "cannot write the journal of run '%s'", e->run);
}

struct error *gitstore_append(struct gitstore *g, struct entry *e)
{
	cleanup_store_lock struct gitstore *held = NULL;

	TRY(store_lock(&held, g));
	TRY(journal_append(g, e));
	if (e->kind == ENTRY_MEASUREMENT && e->measurement && *e->candidate.hex)
		return gitstore_note_add(g, e->candidate.hex, e->measurement);
	return NULL;
}
