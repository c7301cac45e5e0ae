#include "gitstore/run/pick.h"

#include "gitstore/candidate/candidate.h"
#include "gitstore/git/internal.h"
#include "gitstore/journal/journal.h"
#include "gitstore/notes/note.h"
#include "gitstore/run/quoted.h"
#include "gitstore/run/run.h"

/* How far back from HEAD a picked commit without a note is searched for. */
#define RECENT 32

void pick_release(struct pick *p)
{
	measurement_free(p->measurement);
	*p = (struct pick){0};
}

/* ---- what is known of a candidate ---------------------------------------- */

/* The attempt of a candidate in a run's journals; NULL in *out if none. */
static struct error *find_attempt(const struct attempt **out,
				  struct population *p, struct gitstore *g,
				  const char *run, const char *id)
{
	TRY(gitstore_population(p, g, run));
	*out = population_find(p, id);
	return NULL;
}

/* In the run that is named, else in any: a commit that a person wrote on the
 * base is an attempt without a trailer, and may be the start of other runs. */
static struct error *find_in_journals(const struct attempt **out,
				      struct population *p, struct gitstore *g,
				      const char *run, const char *id)
{
	cleanup_strvec struct strvec runs = STRVEC_INIT;

	*out = NULL;
	if (run)
		return find_attempt(out, p, g, run, id);
	TRY(gitstore_runs(&runs, g));
	for (size_t i = 0; i < runs.n && (!*out || !(*out)->number); i++) {
		cleanup_population struct population other = {0};
		const struct attempt *a;

		a = NULL;
		TRY(gitstore_pass_over(
			find_attempt(&a, &other, g, runs.v[i], id)));
		if (!a || (*out && !a->number))
			continue;
		population_release(p);
		*p = other;
		*out = a;
		population_init(&other);
	}
	return NULL;
}

/* ---- preparing ----------------------------------------------------------- */

/* A commit with this message quotes a candidate: it is picked unchanged. */
static struct error *from_story(struct pick *p, struct gitstore *g,
				const git_commit *c, const char *of)
{
	cleanup_free char *run = NULL;
	git_oid id;

	TRY(error_wrap(oid_parse(&id, of), TRAILER_OF));
	if (git_commit_parentcount(c) != 1)
		return error_new(ERROR_REFUSED,
				 "a commit that says " TRAILER_OF
				 " has one parent, and this one has %u",
				 git_commit_parentcount(c));
	TRY(commit_trailer(&run, c, "Avogit-Run"));
	snprintf(p->run, sizeof p->run, "%s", run ? run : "");
	p->commit = oid_hex(git_commit_id(c));
	p->base = oid_hex(git_commit_parent_id(c, 0));
	p->of = oid_hex(&id);
	TRY(note_latest(&p->measurement, g, p->of.hex));
	if (!p->measurement)
		TRY(note_latest(&p->measurement, g, p->commit.hex));
	return NULL;
}

static struct error *refuse_failed(const struct attempt *a)
{
	const struct measurement *m = a->measurement;

	if (!m || m->verdict == VERDICT_PASS)
		return NULL;
	return error_new(ERROR_REFUSED,
			 "%.12s failed (%s): such a candidate is not for "
			 "production; `avogit show %.12s` says why",
			 a->id.hex, verdict_name(m->verdict), a->id.hex);
}

/* The population may have only a brief one. */
static struct error *whole_measurement(struct measurement **out,
				       struct gitstore *g,
				       const struct attempt *a)
{
	cleanup_entry struct entry e = {.kind = ENTRY_STOP};
	git_oid id;

	if (!a->measurement || !a->measurement->brief) {
		*out = a->measurement ? measurement_dup(a->measurement) : NULL;
		return NULL;
	}
	TRY(oid_parse(&id, a->entry.hex));
	TRY(journal_entry(&e, g, &id));
	*out = steal(&e.measurement);
	return NULL;
}

static struct error *from_attempt(struct pick *p, struct gitstore *g,
				  const struct population *population,
				  const struct attempt *a)
{
	git_oid id;
	bool made;

	TRY(refuse_failed(a));
	TRY(story_commit(&id, &made, g, population, a));
	if (!made)
		return error_new(ERROR_REFUSED,
				 "%.12s is the start of run '%s': there is no "
				 "change to pick",
				 a->id.hex, population->record.run);
	p->commit = oid_hex(&id);
	p->of = a->id;
	p->base = population->record.base;
	memcpy(p->run, population->record.run, sizeof p->run);
	return whole_measurement(&p->measurement, g, a);
}

static struct error *from_candidate(struct pick *p, struct gitstore *g,
				    const git_commit *c, const char *id,
				    const char *of_run, const char *remedy)
{
	cleanup_population struct population population = {0};
	cleanup_free char *run = NULL;
	const struct attempt *a = NULL;

	if (*of_run)
		run = xstrdup(of_run);
	else
		TRY(commit_trailer(&run, c, "Avogit-Run"));
	TRY(find_in_journals(&a, &population, g, run, id));
	if (!a && run) {
		population_release(&population);
		TRY(population_from_commits(&population, g, run, id));
		a = population_find(&population, id);
	}
	if (!a)
		return error_new(ERROR_REFUSED,
				 "%.12s is not a candidate of a run: %s", id,
				 remedy);
	return from_attempt(p, g, &population, a);
}

/* What HEAD would become: a merge in memory. *merged is NULL if libgit2 refuses
 * to make it, or there are conflicts; git may do better. *diff: from HEAD. */
static struct error *merge_with_head(git_index **merged, git_diff **diff,
				     struct gitstore *g, const struct pick *p)
{
	cleanup_git_commit git_commit *theirs = NULL, *ours = NULL;
	cleanup_git_index git_index *index = NULL;
	cleanup_git_tree git_tree *tree = NULL;
	git_oid head;

	if (git_reference_name_to_id(&head, g->repo, "HEAD") < 0)
		return NULL;
	TRY(commit_lookup(&theirs, g, p->commit.hex));
	TRY(git_check(git_commit_lookup(&ours, g->repo, &head),
		      "cannot read HEAD"));
	TRY(git_check(git_commit_tree(&tree, ours), "cannot read HEAD"));
	if (git_cherrypick_commit(&index, g->repo, theirs, ours, 0, NULL) < 0 ||
	    git_index_has_conflicts(index))
		return NULL;
	TRY(git_check(git_diff_tree_to_index(diff, g->repo, tree, index, NULL),
		      "cannot compare with HEAD"));
	*merged = steal(&index);
	return NULL;
}

/* Would picking it change nothing? */
static struct error *find_in_head(struct pick *p, struct gitstore *g)
{
	cleanup_git_index git_index *merged = NULL;
	cleanup_git_diff git_diff *diff = NULL;

	TRY(merge_with_head(&merged, &diff, g, p));
	p->in_head = merged && git_diff_num_deltas(diff) == 0;
	return NULL;
}

static struct error *holds_blob(bool *out, const struct file_entry *f,
				const git_index_entry *e)
{
	git_oid id;

	*out = !f && !e;
	if (!f || !e)
		return NULL;
	TRY(git_check(git_odb_hash(&id, f->data, f->len, GIT_OBJECT_BLOB),
		      "cannot hash %s", f->path));
	*out = git_oid_equal(&id, &e->id) &&
	       f->executable == (e->mode == GIT_FILEMODE_BLOB_EXECUTABLE);
	return NULL;
}

/* The files of work tree and HEAD that the merge touches. */
struct touched {
	struct strvec paths;
	struct fileset work, head;
	struct strvec there;  /* hold what would be made of them */
	struct strvec edited; /* hold something else, and not what HEAD has */
	struct strvec absent; /* in neither, as far as git looks */
};

static void touched_release(struct touched *t)
{
	strvec_release(&t->paths);
	fileset_release(&t->work);
	fileset_release(&t->head);
	strvec_release(&t->there);
	strvec_release(&t->edited);
	strvec_release(&t->absent);
}
DEFINE_RELEASE(touched, struct touched, touched_release)

static struct error *read_touched(struct touched *t, struct gitstore *g,
				  const git_diff *diff)
{
	struct commit_id head;

	for (size_t i = 0; i < git_diff_num_deltas(diff); i++)
		strvec_push(&t->paths,
			    git_diff_get_delta(diff, i)->new_file.path);
	TRY(gitstore_resolve(&head, g, "HEAD"));
	TRY(gitstore_work_files(&t->work, g, head.hex, &t->paths));
	return gitstore_files(&t->head, g, head.hex, &t->paths);
}

static struct error *compare_touched(struct touched *t, git_index *merged)
{
	for (size_t i = 0; i < t->paths.n; i++) {
		const char *path = t->paths.v[i];
		const struct file_entry *f = fileset_get(&t->work, path);
		const struct file_entry *old = fileset_get(&t->head, path);
		bool made = false;

		if (merged)
			TRY(holds_blob(&made, f,
				       git_index_get_bypath(merged, path, 0)));
		if (made)
			strvec_push(&t->there, path);
		else if (!f && !old)
			strvec_push(&t->absent, path);
		else if (!file_entry_equal(f, old))
			strvec_push(&t->edited, path);
	}
	return NULL;
}

/* All that the commit changes, for where its merge is not known. */
static struct error *own_diff(git_diff **diff, struct gitstore *g,
			      const struct pick *p)
{
	cleanup_git_commit git_commit *c = NULL, *base = NULL;
	cleanup_git_tree git_tree *tree = NULL, *base_tree = NULL;

	TRY(commit_lookup(&c, g, p->commit.hex));
	TRY(commit_lookup(&base, g, p->base.hex));
	TRY(git_check(git_commit_tree(&tree, c), "cannot read %s",
		      p->commit.hex));
	TRY(git_check(git_commit_tree(&base_tree, base), "cannot read %s",
		      p->base.hex));
	return git_check(git_diff_tree_to_tree(diff, g->repo, base_tree, tree,
					       NULL),
			 "cannot compare %s with its base", p->commit.hex);
}

static struct error *find_touched(struct touched *t, struct gitstore *g,
				  const struct pick *p)
{
	cleanup_git_index git_index *merged = NULL;
	cleanup_git_diff git_diff *diff = NULL;

	TRY(merge_with_head(&merged, &diff, g, p));
	if (!merged)
		TRY(own_diff(&diff, g, p));
	TRY(read_touched(t, g, diff));
	return compare_touched(t, merged);
}

struct error *pick_there_already(struct strvec *paths, struct gitstore *g,
				 const struct pick *p)
{
	CLEANUP(touched) struct touched t = {.paths = STRVEC_INIT};

	TRY(find_touched(&t, g, p));
	if (!t.edited.n)
		strvec_extend(paths, &t.there);
	return NULL;
}

struct error *pick_edited(struct strvec *paths, struct gitstore *g,
			  const struct pick *p)
{
	CLEANUP(touched) struct touched t = {.paths = STRVEC_INIT};

	TRY(find_touched(&t, g, p));
	strvec_extend(paths, &t.edited);
	strvec_extend(paths, &t.absent);
	return NULL;
}

struct error *pick_prepare(struct pick *out, struct gitstore *g, const char *id,
			   const char *run, const char *remedy)
{
	cleanup_pick struct pick p = {0};
	cleanup_git_commit git_commit *c = NULL;
	cleanup_free char *of = NULL;

	TRY(commit_lookup(&c, g, id));
	TRY(commit_trailer(&of, c, TRAILER_OF));
	TRY(of ? from_story(&p, g, c, of)
	       : from_candidate(&p, g, c, id, run, remedy));
	TRY(find_in_head(&p, g));
	*out = p;
	p = (struct pick){0};
	return NULL;
}

bool pick_is_under_way(struct gitstore *g)
{
	git_oid id;

	return git_reference_name_to_id(&id, g->repo, "CHERRY_PICK_HEAD") == 0;
}

bool pick_is_stopped(struct gitstore *g, const struct pick *p)
{
	struct commit_id at;
	git_oid id;

	if (git_reference_name_to_id(&id, g->repo, "CHERRY_PICK_HEAD") < 0)
		return false;
	at = oid_hex(&id);
	return str_eq(at.hex, p->commit.hex);
}

/* ---- the note ------------------------------------------------------------ */

/* A line of a note outside measurements: its scores are not here. */
static char *line_of_others(const char *of)
{
	return xasprintf(
		"unmeasured of=%s why=\"the sources of this commit are "
		"not that candidate's, so its scores are not this "
		"one's: avogit score measures it\"",
		of);
}

static struct error *say_others(struct gitstore *g, const char *commit,
				const char *of)
{
	cleanup_free char *line = line_of_others(of);

	return note_say(g, commit, line);
}

/* The commit with the candidate's sources: itself, else the picked story. */
static const char *like(struct gitstore *g, const struct pick *p)
{
	git_oid id;

	if (git_oid_fromstr(&id, p->of.hex) == 0 && object_is_there(g, &id))
		return p->of.hex;
	return *p->commit.hex ? p->commit.hex : p->of.hex;
}

struct error *pick_note(bool *written, struct gitstore *g, const char *commit,
			const struct pick *p)
{
	cleanup_measurement struct measurement *m = NULL;
	enum quoted whose;

	*written = false;
	if (!p->measurement)
		return NULL;
	TRY(gitstore_quoted(&whose, g, commit, p->measurement, like(g, p),
			    p->run));
	if (whose == QUOTED_OTHERS)
		return say_others(g, commit, p->of.hex);
	if (whose != QUOTED_OWN)
		return NULL;
	m = measurement_dup(p->measurement);
	measurement_set(m, "of", p->of.hex);
	TRY(gitstore_note_add(g, commit, m));
	*written = true;
	return NULL;
}

static bool quotes(const struct measurement *m, void *of)
{
	const char *quoted = measurement_get(m, "of");

	return quoted && str_eq(quoted, of);
}

/* Does the note quote its scores, or say that it does not? */
static bool note_quotes(const char *note, char *of)
{
	cleanup_free char *line = line_of_others(of);
	cleanup_measurement struct measurement *m =
		note ? measurement_note_find(note, quotes, of) : NULL;

	return m || (note && strstr(note, line));
}

/* HEAD and its ancestors, the nearest first. */
struct recent {
	git_oid id[RECENT];
	size_t n;
};

static void recent_add(struct recent *r, const git_oid *id)
{
	for (size_t i = 0; i < r->n; i++)
		if (git_oid_equal(&r->id[i], id))
			return;
	if (r->n < RECENT)
		r->id[r->n++] = *id;
}

static struct error *mend_one(bool *written, struct gitstore *g,
			      const git_commit *c)
{
	cleanup_pick struct pick p = {0};
	cleanup_free char *of = NULL, *note = NULL, *run = NULL;
	struct commit_id hex;
	git_oid candidate;

	*written = false;
	TRY(commit_trailer(&of, c, TRAILER_OF));
	if (!of || git_oid_fromstr(&candidate, of) < 0)
		return NULL;
	hex = oid_hex(git_commit_id(c));
	p.of = oid_hex(&candidate);
	TRY(commit_trailer(&run, c, "Avogit-Run"));
	snprintf(p.run, sizeof p.run, "%s", run ? run : "");
	TRY(gitstore_note(&note, g, hex.hex));
	if (note_quotes(note, p.of.hex))
		return NULL;
	TRY(note_latest(&p.measurement, g, p.of.hex));
	return pick_note(written, g, hex.hex, &p);
}

struct error *pick_mend(size_t *attached, struct gitstore *g)
{
	struct recent r = {.n = 0};
	git_oid head;

	*attached = 0;
	if (git_reference_name_to_id(&head, g->repo, "HEAD") < 0)
		return NULL;
	recent_add(&r, &head);
	for (size_t i = 0; i < r.n; i++) {
		cleanup_git_commit git_commit *c = NULL;
		bool written;

		/* The history of a shallow clone ends here. */
		if (git_commit_lookup(&c, g->repo, &r.id[i]) < 0)
			continue;
		for (unsigned j = 0; j < git_commit_parentcount(c); j++)
			recent_add(&r, git_commit_parent_id(c, j));
		TRY(mend_one(&written, g, c));
		*attached += written;
	}
	return NULL;
}
