/*
 * Reads a run from its commits. If another repository fetched the branch but
 * not the journals, the commits of a lineage and their notes, if they were
 * fetched, have the same information about that lineage.
 */
#include <errno.h>

#include "gitstore/candidate/candidate.h"
#include "gitstore/git/internal.h"
#include "gitstore/notes/note.h"
#include "gitstore/run/run.h"

/* Steps of a lineage; the limit ends a damaged history. */
#define MAX_LINEAGE 10000

struct lineage_walk {
	struct gitstore *g;
	const char *run;
	struct strvec id; /* newest first, without the base */
	struct commit_id base;
};

static void lineage_walk_release(struct lineage_walk *w)
{
	strvec_release(&w->id);
}
DEFINE_RELEASE(lineage_walk, struct lineage_walk, lineage_walk_release)

static struct error *cut_short(const char *id)
{
	return error_new(ERROR_NOT_FOUND,
			 "this clone is shallow and lacks a part of the "
			 "lineage of %.12s: `git fetch --unshallow` brings it",
			 id);
}

/* At the cut of a shallow clone, libgit2 before 1.7 names the parents of a
 * commit and fails to find them; later versions say that it has none. */
static struct error *walk_lookup(git_commit **out, struct gitstore *g,
				 const char *id)
{
	struct error *err = commit_lookup(out, g, id);

	if (err && git_repository_is_shallow(g->repo) == 1) {
		error_free(err);
		return cut_short(id);
	}
	return err;
}

static struct error *no_base(struct gitstore *g, git_commit *c, const char *id)
{
	if (!git_commit_parentcount(c) &&
	    git_repository_is_shallow(g->repo) == 1)
		return cut_short(id);
	return error_new(ERROR_MALFORMED,
			 "the lineage of %.12s leads to no base", id);
}

/* The base is the first commit that does not belong to the run. */
static struct error *walk(struct lineage_walk *w, const char *id)
{
	struct commit_id at;

	at = commit_id(id);
	for (;;) {
		cleanup_git_commit git_commit *c = NULL;
		cleanup_free char *run = NULL;

		TRY(walk_lookup(&c, w->g, at.hex));
		TRY(commit_trailer(&run, c, "Avogit-Run"));
		if (!run || !str_eq(run, w->run))
			break;
		if (w->id.n == MAX_LINEAGE || !git_commit_parentcount(c))
			return no_base(w->g, c, id);
		strvec_push(&w->id, at.hex);
		at = oid_hex(git_commit_parent_id(c, 0));
	}
	w->base = at;
	return NULL;
}

static void apply_measurement(struct population *p, const char *id,
			      struct measurement *m)
{
	cleanup_entry struct entry e = {.kind = ENTRY_KIND_COUNT};

	if (!m)
		return;
	entry_init(&e, ENTRY_MEASUREMENT, p->record.run);
	e.candidate = commit_id(id);
	e.accepted = true;
	e.measurement = m;
	population_apply(p, &e);
}

static bool decides(const struct measurement *m, void *arg UNUSED)
{
	return measurement_decisive(m) != NULL;
}

static bool is_against_start(const struct measurement *m, void *arg UNUSED)
{
	return measurement_against(m, RIVAL_START, NULL) != NULL;
}

/* What gave it its place, then its newest measurement. A champion is held
 * against the start right after its crown: in a note, whose times are seconds,
 * the two may be as new as each other. */
static struct error *apply_note(struct population *p, struct gitstore *g,
				const char *id)
{
	cleanup_measurement struct measurement *start = NULL;
	cleanup_free char *note = NULL;
	const struct attempt *a;

	TRY(gitstore_note(&note, g, id));
	if (!note)
		return NULL;
	apply_measurement(p, id, measurement_note_find(note, decides, NULL));
	apply_measurement(p, id, measurement_note_latest(note, NULL));
	start = measurement_note_find(note, is_against_start, NULL);
	a = population_find(p, id);
	if (start && a && a->measurement &&
	    start->time_us >= a->measurement->time_us)
		apply_measurement(p, id, steal(&start));
	return NULL;
}

static struct error *apply_record(struct population *p,
				  const struct lineage_walk *w, const char *id)
{
	cleanup_measurement struct measurement *m = NULL;
	cleanup_entry struct entry e;
	const char *machine = NULL;

	entry_init(&e, ENTRY_RUN, w->run);
	e.base = w->base;
	TRY(note_latest(&m, w->g, id));
	if (m)
		machine = measurement_get(m, "machine");
	e.machine_name = xstrdup_null(machine);
	population_apply(p, &e);
	return apply_note(p, w->g, w->base.hex);
}

static struct error *apply_step(struct population *p,
				const struct lineage_walk *w, size_t at)
{
	cleanup_git_commit git_commit *c = NULL;
	cleanup_free char *number = NULL;
	cleanup_entry struct entry e;
	const char *message;

	entry_init(&e, ENTRY_ATTEMPT, w->run);
	TRY(commit_lookup(&c, w->g, w->id.v[at]));
	TRY(commit_trailer(&number, c, "Avogit-Attempt"));
	errno = 0;
	e.number = number ? strtoll(number, NULL, 10) : 0;
	if (errno || e.number < 1)
		e.number = (int64_t)(w->id.n - at);
	e.candidate = commit_id(w->id.v[at]);
	e.parent = oid_hex(git_commit_parent_id(c, 0));
	e.lineage = 1;
	message = git_commit_message(c);
	e.subject = xstrndup(message, strcspn(message, "\n"));
	population_apply(p, &e);
	return apply_note(p, w->g, w->id.v[at]);
}

struct error *population_from_commits(struct population *p, struct gitstore *g,
				      const char *run, const char *id)
{
	CLEANUP(lineage_walk)
	struct lineage_walk w = {.g = g, .run = run, .id = STRVEC_INIT};

	TRY(run_name_check(run));
	TRY(walk(&w, id));
	TRY(apply_record(p, &w, id));
	for (size_t i = w.id.n; i-- > 0;)
		TRY(apply_step(p, &w, i));
	return NULL;
}
