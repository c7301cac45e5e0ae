/* Takes in what was fetched; nothing of it is trusted before it is checked. */
#include "gitstore/git/program.h"
#include "gitstore/journal/chain.h"
#include "gitstore/journal/restore.h"
#include "gitstore/notes/note.h"
#include "gitstore/notes/note_check.h"
#include "gitstore/sync/sync.h"

#define MERGE_WAIT_S 600

void sync_taken_release(struct sync_taken *t)
{
	strvec_release(&t->refused);
	strvec_release(&t->runs);
}

/* Where refs lie that came from elsewhere. */
struct arrival {
	const char *refs, *notes;
	bool logs; /* they were asked for */
};

static const struct arrival from_sync = {SYNC_REFS, SYNC_NOTES_REF, true};
/* The second: by the settings of earlier versions. */
static const struct arrival from_fetch[] = {
	{FETCHED_REFS, FETCHED_NOTES_REF, false},
	{"refs/avogit-origin/", "refs/notes/origin/avogit", false},
};

struct taking {
	struct sync_taken *out;
	struct gitstore *g;
	const struct arrival *from;
};

/* ---- journals ------------------------------------------------------------ */

struct inspection {
	const char *run;
	bool first_is_record, any;
};

static struct error *inspect_entry(void *arg, const struct entry *e)
{
	struct inspection *in = arg;

	if (!in->any)
		in->first_is_record = e->kind == ENTRY_RUN;
	in->any = true;
	if (e->kind == ENTRY_RUN && !*e->base.hex)
		return error_new(ERROR_MALFORMED,
				 "entry %.12s begins a run and names no base",
				 e->id.hex);
	if (str_eq(e->run, in->run))
		return NULL;
	return error_new(ERROR_MALFORMED,
			 "entry %.12s is of another run ('%s')", e->id.hex,
			 e->run);
}

static const git_oid *known_here(void *ours, const char *writer)
{
	(void)writer;
	return git_oid_is_zero(ours) ? NULL : ours;
}

/* Reads every entry that is new, so that no run becomes unreadable. */
static struct error *inspect(struct inspection *in, struct gitstore *g,
			     const struct run_ref *name, git_oid *ours,
			     const git_oid *theirs)
{
	cleanup_chains struct chains c = {.refs = STRVEC_INIT};
	struct chain_stop stop = {known_here, ours, false};

	c.chain = xcalloc(1, sizeof *c.chain);
	c.n = 1;
	c.chain[0] = (struct chain){.writer = name->writer, .tip = *theirs};
	TRY(chains_walk(&c, g, &stop));
	if (stop.lost)
		return error_new(ERROR_REFUSED,
				 "it does not go on from what is here: it was "
				 "written by two machines");
	return chains_each(&c, g, inspect_entry, in);
}

/* A run that was removed here begins again only with its record: the journal of
 * a third clone that went on with the old run has no record. */
static struct error *is_of_removed(bool *out, struct gitstore *g,
				   const char *run)
{
	cleanup_free char *marks = xasprintf(JOURNAL_REFS "%s/removed/", run);
	cleanup_free char *own = journal_ref(run, "");
	cleanup_strvec struct strvec names = STRVEC_INIT, here = STRVEC_INIT;

	TRY(ref_names(&names, g, marks));
	TRY(ref_names(&here, g, own));
	*out = names.n > 0 && here.n == 0;
	return NULL;
}

static struct error *take_journal(struct taking *t, const char *from,
				  const struct run_ref *name)
{
	cleanup_free char *ref = journal_ref(name->run, name->writer);
	struct inspection in = {.run = name->run};
	git_oid ours, theirs;
	bool removed, of_removed;

	TRY(gitstore_is_removed(&removed, t->g, name->run, name->writer));
	TRY(is_of_removed(&of_removed, t->g, name->run));
	TRY(ref_read(&ours, t->g, ref));
	TRY(ref_read(&theirs, t->g, from));
	if (removed || git_oid_equal(&ours, &theirs) ||
	    (!git_oid_is_zero(&ours) &&
	     git_graph_descendant_of(t->g->repo, &ours, &theirs) == 1))
		return NULL;
	TRY(inspect(&in, t->g, name, &ours, &theirs));
	if (!in.any)
		return error_new(ERROR_MALFORMED, "it is not a journal");
	if (of_removed && !in.first_is_record)
		return NULL;
	TRY(ref_move(t->g, ref, &theirs, &ours));
	t->out->journals++;
	if (!strvec_has(&t->out->runs, name->run))
		strvec_push(&t->out->runs, name->run);
	return NULL;
}

static bool is_commit(struct gitstore *g, const git_oid *id)
{
	git_object_t type;
	size_t size;

	return git_odb_read_header(&size, &type, g->odb, id) == 0 &&
	       type == GIT_OBJECT_COMMIT;
}

static struct error *take_logs(struct taking *t, const char *from,
			       const struct run_ref *name)
{
	cleanup_free char *ref =
		xasprintf(JOURNAL_REFS "%s/logs/%s", name->run, name->writer);
	git_oid ours, theirs;

	TRY(ref_read(&ours, t->g, ref));
	TRY(ref_read(&theirs, t->g, from));
	if (git_oid_equal(&ours, &theirs))
		return NULL;
	if (!is_commit(t->g, &theirs))
		return error_new(ERROR_MALFORMED, "it is not a chain of logs");
	TRY(ref_move(t->g, ref, &theirs, &ours));
	t->out->logs++;
	return NULL;
}

/* A ref that cannot be taken in is reported, and the others go on. */
static struct error *take_ref(struct taking *t, const char *from)
{
	cleanup_free char *as =
		xasprintf(JOURNAL_REFS "%s", from + strlen(t->from->refs));
	struct run_ref name;
	struct error *err = NULL;

	if (run_ref_parse(&name, as) && name.kind == RUN_REF_JOURNAL)
		err = take_journal(t, from, &name);
	else if (name.kind == RUN_REF_LOGS && t->from->logs)
		err = take_logs(t, from, &name);
	if (error_is(err, ERROR_MOVED) || error_is(err, ERROR_SYSTEM))
		return err;
	if (err)
		strvec_pushf(&t->out->refused, "%s: %s", as,
			     error_message(err));
	error_free(err);
	return ref_delete(t->g, from);
}

static struct error *take_refs(struct taking *t)
{
	cleanup_strvec struct strvec names = STRVEC_INIT;

	TRY(ref_names(&names, t->g, t->from->refs));
	for (size_t i = 0; i < names.n; i++)
		TRY(take_ref(t, names.v[i]));
	return NULL;
}

/* ---- notes --------------------------------------------------------------- */

/* git's own merge, line by line: lines that both changed are sorted together.
 * The commit's author does not matter: the fallback identity. */
static struct error *merge_by_git(const struct gitstore *g, const char *notes)
{
	cleanup_free char *dir = xasprintf("--git-dir=%s", g->git_dir);
	cleanup_free char *name = xasprintf("user.name=%s", g->committer->name);
	cleanup_free char *mail =
		xasprintf("user.email=%s", g->committer->email);
	const char *words[] = {dir,
			       "-c",
			       name,
			       "-c",
			       mail,
			       "notes",
			       "--ref=avogit",
			       "merge",
			       "-q",
			       "-s",
			       "cat_sort_uniq",
			       notes,
			       NULL};
	cleanup_process_result struct process_result r = {0};

	TRY(git_run(&r, GIT_INSIDE, NULL, words, MERGE_WAIT_S, BUF_LIMIT_TEXT));
	if (r.exit_code == 0)
		return NULL;
	buf_trim_end(&r.output);
	return error_new(ERROR_REPO, "git cannot merge the notes: %s",
			 r.output.data);
}

static struct error *merge_notes(struct taking *t, const git_oid *theirs)
{
	git_oid ours, tree;

	TRY(notes_tree(&ours, &tree, t->g));
	if (git_oid_equal(&ours, theirs))
		return NULL;
	TRY(note_check(t->g, theirs, &tree));
	if (git_oid_is_zero(&ours) ||
	    git_graph_descendant_of(t->g->repo, theirs, &ours) == 1) {
		TRY(ref_move(t->g, NOTES_REF, theirs, &ours));
		t->out->notes = true;
	} else if (git_graph_descendant_of(t->g->repo, &ours, theirs) != 1) {
		TRY(identity_load(t->g));
		TRY(merge_by_git(t->g, t->from->notes));
		t->out->notes = true;
	}
	return NULL;
}

/* Notes that cannot be merged are reported and dropped, because they would
 * block every later sync. The journals have what avogit wrote in them. */
static struct error *take_notes(struct taking *t)
{
	struct error *err;
	git_oid theirs;

	TRY(ref_read(&theirs, t->g, t->from->notes));
	if (git_oid_is_zero(&theirs))
		return NULL;
	err = merge_notes(t, &theirs);
	if (error_is(err, ERROR_MOVED) || error_is(err, ERROR_SYSTEM))
		return err;
	if (err)
		strvec_pushf(&t->out->refused, NOTES_REF ": %s",
			     error_message(err));
	error_free(err);
	return ref_delete(t->g, t->from->notes);
}

/* ---- all ----------------------------------------------------------------- */

static struct error *point_run(struct gitstore *g, const char *run)
{
	cleanup_population struct population p = {0};

	TRY(gitstore_population(&p, g, run));
	return gitstore_branches(g, &p);
}

/* Another clone's entries may name commits that no clone has: then only its own
 * run cannot be read. */
static struct error *point_branches(struct taking *t)
{
	for (size_t i = 0; i < t->out->runs.n; i++) {
		const char *run = t->out->runs.v[i];
		struct error *err;

		if (str_eq(run, RUN_OUTSIDE) || gitstore_run_holder(t->g, run))
			continue;
		err = point_run(t->g, run);
		if (error_is(err, ERROR_MOVED) || error_is(err, ERROR_SYSTEM))
			return err;
		if (err)
			strvec_pushf(&t->out->refused,
				     "the branches of run %s: %s", run,
				     error_message(err));
		error_free(err);
	}
	return NULL;
}

static struct error *take_all(struct sync_taken *out, struct gitstore *g,
			      const struct arrival *from, size_t n)
{
	cleanup_sync_taken struct sync_taken taken = {.journals = 0};
	struct taking t = {&taken, g, NULL};
	cleanup_store_lock struct gitstore *held = NULL;

	TRY(store_lock(&held, g));
	for (size_t i = 0; i < n; i++) {
		t.from = &from[i];
		TRY(take_refs(&t));
		TRY(take_notes(&t));
	}
	TRY(gitstore_mend_notes(&taken.restored, &taken.refused, g));
	TRY(point_branches(&t));
	*out = taken;
	taken = (struct sync_taken){.journals = 0};
	return NULL;
}

struct error *sync_take(struct sync_taken *out, struct gitstore *g)
{
	return take_all(out, g, &from_sync, 1);
}

static struct error *has_arrived(bool *out, struct gitstore *g,
				 const struct arrival *from)
{
	cleanup_strvec struct strvec names = STRVEC_INIT;
	git_oid notes;

	TRY(ref_names(&names, g, from->refs));
	TRY(ref_read(&notes, g, from->notes));
	*out = names.n > 0 || !git_oid_is_zero(&notes);
	return NULL;
}

struct error *sync_take_fetched(struct sync_taken *out, struct gitstore *g)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(from_fetch) && !any; i++)
		TRY(has_arrived(&any, g, &from_fetch[i]));
	if (!any)
		return NULL;
	return take_all(out, g, from_fetch, ARRAY_SIZE(from_fetch));
}
