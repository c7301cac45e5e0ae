/* The archive of core/run/archive.h on a repository: for one task and one base,
 * whose files candidates may not change. */
#include "gitstore/candidate/candidate.h"
#include "gitstore/candidate/source_diff.h"
#include "gitstore/git/submodule.h"
#include "gitstore/journal/chain.h"
#include "gitstore/journal/journal.h"
#include "gitstore/run/logs.h"
#include "gitstore/run/steps.h"
#include "gitstore/sync/repair.h"

#define MESSAGE_MAX BUF_LIMIT_TEXT
/* After so many measurements, tidy: each leaves about ten objects, and git
 * packs at 6,700. */
#define TIDY_EVERY 500

struct store_archive {
	struct archive archive; /* first: callbacks cast it back */
	struct gitstore *g;
	struct strvec patterns, sources;
	bool may_add, may_remove;
	/* The files of the base without its sources. */
	struct fileset fixed;
	struct workspaces *workspaces;
	size_t since_tidy; /* measurements */
	/* Of a run that is shared: the newest entry of this clone's journal that
	 * the population has. */
	git_oid seen;
};

static struct store_archive *self_of(struct archive *a)
{
	return (struct store_archive *)a;
}

/* No garbage collection may run between the commit of a candidate and the entry
 * that keeps it reachable, which follows at once: so the lock under which the
 * commit was written is kept until then. */
static void keep_for_candidate(struct gitstore **held)
{
	struct gitstore *g = *held;

	if (g->holds_for_candidate)
		return;
	g->holds_for_candidate = true;
	*held = NULL;
}

static void let_go_of_candidate(struct gitstore *g)
{
	if (g->holds_for_candidate)
		store_unlock(g);
	g->holds_for_candidate = false;
}

/* ---- candidates ---------------------------------------------------------- */

static struct error *load(struct archive *archive, struct candidate *out,
			  const char *id)
{
	struct store_archive *a = self_of(archive);
	cleanup_candidate struct candidate c = {0};

	c.id = commit_id(id);
	TRY(gitstore_files(&c.files, a->g, id, &a->sources));
	if (c.files.n == 0)
		return error_new(ERROR_REFUSED,
				 "commit %.12s has none of the task's sources",
				 id);
	fileset_id(c.sources_id, &c.files);
	TRY(fileset_copy(&c.files, &a->fixed));
	*out = c;
	c = (struct candidate){0};
	return NULL;
}

static struct error *open_workspace(struct archive *archive,
				    struct workspace *out, const char *parent)
{
	struct store_archive *a = self_of(archive);
	cleanup_candidate struct candidate c = {0};
	struct workspace w = {0};

	TRY(load(archive, &c, parent));
	TRY(workspaces_open(&w.dir, a->workspaces, &c.files));
	*out = w;
	return NULL;
}

void gitstore_place_workspaces(struct archive *a, const char *place,
			       bool chosen)
{
	workspaces_place(self_of(a)->workspaces, place, chosen);
}

static void close_workspace(struct archive *archive, struct workspace *w)
{
	let_go_of_candidate(self_of(archive)->g);
	if (w->dir)
		workspaces_close(self_of(archive)->workspaces, w->dir);
	workspace_release(w);
}

static struct error *commit_candidate(git_oid *out, struct gitstore *g,
				      const git_oid *tree, const char *parent,
				      const struct proposal *p)
{
	cleanup_buf struct buf message = BUF_INIT(MESSAGE_MAX);
	struct commit_spec spec = {.tree = tree, .n_parents = 1};
	git_oid id;

	TRY(oid_parse(&id, parent));
	message_of_proposal(&message, p);
	spec.message = message.data;
	spec.parent[0] = &id;
	return commit_write(out, g, &spec);
}

static struct error *seal(struct archive *archive, struct commit_id *id,
			  bool *same, const struct workspace *w,
			  const char *parent, const struct proposal *p)
{
	struct store_archive *a = self_of(archive);
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_store_lock struct gitstore *held = NULL;
	const struct compose how = {&a->sources, a->may_add, a->may_remove};
	git_oid before, tree, commit;

	TRY(fileset_read(&files, w->dir, &a->sources));
	TRY(commit_tree_id(&before, a->g, parent));
	TRY(store_lock(&held, a->g));
	TRY(tree_compose(&tree, a->g, &before, &files, &how));
	*same = git_oid_equal(&tree, &before);
	if (*same) {
		*id = commit_id(parent);
		return NULL;
	}
	TRY(commit_candidate(&commit, a->g, &tree, parent, p));
	*id = oid_hex(&commit);
	keep_for_candidate(&held);
	return NULL;
}

static struct error *diff(struct archive *archive, struct buf *text,
			  const char *from, const char *to)
{
	struct store_archive *a = self_of(archive);

	return candidate_diff(text, a->g, from, to, &a->sources);
}

static struct error *diff_files(struct archive *archive UNUSED,
				struct buf *text, const struct fileset *from,
				const struct fileset *to)
{
	return fileset_diff(text, from, to);
}

/* ---- journals ------------------------------------------------------------ */

static struct error *append_locked(struct archive *archive, struct entry *e,
				   const struct population *after)
{
	struct gitstore *g = self_of(archive)->g;
	cleanup_store_lock struct gitstore *held = NULL;

	TRY(store_lock(&held, g));
	let_go_of_candidate(g);
	TRY(gitstore_append(g, e));
	if (e->kind == ENTRY_RUN || e->kind == ENTRY_MEASUREMENT ||
	    e->kind == ENTRY_CROWN)
		return gitstore_branches(g, after);
	return NULL;
}

/* A run of weeks packs while it goes on, at a time when nothing is locked. */
static struct error *append(struct archive *archive, struct entry *e,
			    const struct population *after)
{
	struct store_archive *a = self_of(archive);

	TRY(append_locked(archive, e, after));
	TRY(oid_parse(&a->seen, e->id.hex));
	if (e->kind == ENTRY_MEASUREMENT && ++a->since_tidy >= TIDY_EVERY) {
		a->since_tidy = 0;
		gitstore_tidy(a->g);
	}
	return NULL;
}

static struct error *read_run(struct archive *archive, struct population *p,
			      const char *run)
{
	struct store_archive *a = self_of(archive);
	cleanup_free char *ref = journal_ref(run, a->g->writer);

	if (archive->take_turn)
		TRY(ref_read(&a->seen, a->g, ref));
	return gitstore_population(p, a->g, run);
}

/* ---- a run that is shared ------------------------------------------------- */

static const git_oid *seen_before(void *arg, const char *writer UNUSED)
{
	const struct store_archive *a = arg;

	return git_oid_is_zero(&a->seen) ? NULL : &a->seen;
}

static struct error *apply_entry(void *arg, const struct entry *e)
{
	population_apply(arg, e);
	return NULL;
}

/* The other processes of this clone write to the same journal. */
static struct error *catch_up(struct archive *archive, struct population *p,
			      const char *run)
{
	struct store_archive *a = self_of(archive);
	cleanup_free char *ref = journal_ref(run, a->g->writer);
	cleanup_chains struct chains c = {.refs = STRVEC_INIT};
	struct chain_stop stop = {.known = seen_before, .arg = a};
	git_oid tip;

	TRY(ref_read(&tip, a->g, ref));
	if (git_oid_equal(&tip, &a->seen))
		return NULL;
	c.chain = xcalloc(1, sizeof *c.chain);
	c.chain[c.n++] = (struct chain){.writer = a->g->writer, .tip = tip};
	TRY(chains_walk(&c, a->g, &stop));
	if (stop.lost)
		return error_new(ERROR_MALFORMED,
				 "the journal of run '%s' was set back while "
				 "it was extended: start again",
				 run);
	TRY(chains_each(&c, a->g, apply_entry, p));
	a->seen = tip;
	return NULL;
}

static struct error *take_turn(struct archive *archive, bool *taken,
			       struct population *p, const char *run)
{
	struct gitstore *g = self_of(archive)->g;
	struct error *err;

	*taken = turn_try(g);
	err = *taken ? catch_up(archive, p, run) : NULL;
	/* Without it the caller has not begun its turn, so does not end it. */
	if (err)
		turn_give(g);
	return err;
}

static void give_turn(struct archive *archive)
{
	turn_give(self_of(archive)->g);
}

static void hold(struct archive *archive, const char *id, bool begins)
{
	turn_hold(self_of(archive)->g, id, begins);
}

static bool is_held(struct archive *archive, const char *id)
{
	return turn_is_held(self_of(archive)->g, id);
}

static bool has_others(struct archive *archive)
{
	return gitstore_has_others(self_of(archive)->g);
}

static bool leave(struct archive *archive)
{
	return turn_leave(self_of(archive)->g);
}

static struct error *recall(struct archive *archive, struct measurement **out,
			    const struct attempt *a)
{
	return gitstore_recall(out, self_of(archive)->g, a);
}

static struct error *find(struct archive *archive, struct measurement **out,
			  const struct identity *identity)
{
	struct gitstore *g = self_of(archive)->g;
	cleanup_entry struct entry e = {.kind = ENTRY_STOP};
	git_oid id;
	bool found;

	*out = NULL;
	TRY(index_find(&id, &found, g, identity));
	if (!found)
		return NULL;
	TRY(journal_entry(&e, g, &id));
	/* An unusable measurement cannot replace a new one. */
	if (e.measurement && e.measurement->verdict != VERDICT_UNUSABLE)
		*out = steal(&e.measurement);
	return NULL;
}

static struct error *open_log(struct archive *archive, int *fd, const char *run,
			      const char *name)
{
	return run_log_open(fd, self_of(archive)->g, run, name);
}

static struct error *keep_log(struct archive *archive, const char *run,
			      const char *name)
{
	return run_log_keep(self_of(archive)->g, run, name);
}

static struct error *save_step(struct archive *archive, const char *run,
			       const char *text)
{
	return run_step_save(self_of(archive)->g, run, text);
}

static struct error *load_step(struct archive *archive, struct buf *text,
			       const char *run)
{
	return run_step_load(text, self_of(archive)->g, run);
}

/* ---- making one ---------------------------------------------------------- */

static struct error *fill(struct store_archive *a, const struct task *task,
			  const char *base)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	git_oid id;

	TRY(oid_parse(&id, base));
	task_build_patterns(&a->patterns, task);
	task_source_patterns(&a->sources, task);
	TRY(submodule_refuse_sources(a->g, base, &a->sources));
	TRY(gitstore_files(&files, a->g, base, &a->patterns));
	for (size_t i = 0; i < files.n; i++) {
		const struct file_entry *f = &files.file[i];

		if (path_matches(f->path, &a->sources))
			TRY(filter_check(a->g, f->path, &id));
		else
			TRY(fileset_put(&a->fixed, f->path, f->data, f->len,
					f->executable));
	}
	return workspaces_new(&a->workspaces, a->g);
}

struct error *gitstore_archive(struct archive **out, struct gitstore *g,
			       const struct task *task, const char *base)
{
	struct store_archive *a = xcalloc(1, sizeof *a);
	cleanup_archive struct archive *guard = &a->archive;

	a->archive = (struct archive){
		.open_workspace = open_workspace,
		.close_workspace = close_workspace,
		.seal = seal,
		.load = load,
		.diff = diff,
		.diff_files = diff_files,
		.append = append,
		.read = read_run,
		.find = find,
		.recall = recall,
		.open_log = open_log,
		.keep_log = keep_log,
		.save_step = save_step,
		.load_step = load_step,
	};
	a->g = g;
	if (g->turn_fd >= 0) {
		a->archive.take_turn = take_turn;
		a->archive.give_turn = give_turn;
		a->archive.catch_up = catch_up;
		a->archive.hold = hold;
		a->archive.is_held = is_held;
		a->archive.has_others = has_others;
		a->archive.leave = leave;
	}
	a->may_add = task->may_add;
	a->may_remove = task->may_remove;
	TRY(fill(a, task, base));
	*out = steal(&guard);
	return NULL;
}

void gitstore_archive_free(struct archive *archive)
{
	struct store_archive *a = archive ? self_of(archive) : NULL;

	if (!a)
		return;
	let_go_of_candidate(a->g);
	workspaces_free(a->workspaces);
	strvec_release(&a->patterns);
	strvec_release(&a->sources);
	fileset_release(&a->fixed);
	free(a);
}
