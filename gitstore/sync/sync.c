#include "gitstore/sync/sync.h"

#include "gitstore/git/internal.h"
#include "gitstore/journal/restore.h"

void sync_plan_release(struct sync_plan *p)
{
	strvec_release(&p->receive);
	strvec_release(&p->send);
	strvec_release(&p->diverged);
}

/* ---- names --------------------------------------------------------------- */

/* ---- the plan ------------------------------------------------------------ */

struct planning {
	struct sync_plan *plan;
	struct gitstore *g;
	const struct sync_options *o;
	struct strvec there; /* refs of the other side */
};

static void planning_release(struct planning *p)
{
	strvec_release(&p->there);
}
DEFINE_RELEASE(planning, struct planning, planning_release)

/* Is `id` here, and `ancestor` in its history? False if `id` is missing,
 * because then it is unknown. */
static bool leads_to(struct gitstore *g, const git_oid *id,
		     const git_oid *ancestor)
{
	return git_odb_exists(g->odb, id) && git_odb_exists(g->odb, ancestor) &&
	       (git_oid_equal(id, ancestor) ||
		git_graph_descendant_of(g->repo, id, ancestor) == 1);
}

static void receive(struct planning *p, const char *ref)
{
	strvec_pushf(&p->plan->receive, "+%s:" SYNC_REFS "%s", ref,
		     ref + strlen(JOURNAL_REFS));
}

/* Snapshots of the user's work tree are kept by the journals of RUN_OUTSIDE:
 * they stay here unless they are named. */
static bool may_send(const struct planning *p, const char *run)
{
	return p->o->run || !str_eq(run, RUN_OUTSIDE);
}

static void plan_journal(struct planning *p, const char *ref,
			 const struct run_ref *name, const git_oid *ours,
			 const git_oid *theirs)
{
	if (git_oid_equal(ours, theirs))
		return;
	if (git_oid_is_zero(ours))
		receive(p, ref);
	else if (git_oid_is_zero(theirs) || leads_to(p->g, ours, theirs)) {
		if (may_send(p, name->run))
			strvec_pushf(&p->plan->send, "%s:%s", ref, ref);
	} else if (git_odb_exists(p->g->odb, theirs) &&
		   !leads_to(p->g, theirs, ours))
		strvec_push(&p->plan->diverged, ref);
	else
		receive(p, ref);
}

/* Pruning makes a chain of logs again, so the version of its writer counts. */
static void plan_logs(struct planning *p, const char *ref,
		      const struct run_ref *name, const git_oid *ours,
		      const git_oid *theirs)
{
	if (!p->o->logs || git_oid_equal(ours, theirs))
		return;
	if (gitstore_is_writer(p->g, name->writer)) {
		if (!git_oid_is_zero(ours))
			strvec_pushf(&p->plan->send, "+%s:%s", ref, ref);
	} else if (!git_oid_is_zero(theirs)) {
		receive(p, ref);
	}
}

static struct error *plan_ref(struct planning *p, const char *ref,
			      const git_oid *theirs)
{
	struct run_ref name;
	bool removed;
	git_oid ours;

	if (!run_ref_parse(&name, ref) ||
	    (p->o->run && !str_eq(p->o->run, name.run)))
		return NULL;
	TRY(gitstore_is_removed(&removed, p->g, name.run, name.writer));
	if (removed)
		return NULL;
	TRY(ref_read(&ours, p->g, ref));
	if (name.kind == RUN_REF_JOURNAL)
		plan_journal(p, ref, &name, &ours, theirs);
	else
		plan_logs(p, ref, &name, &ours, theirs);
	return NULL;
}

static struct error *plan_notes(struct planning *p, const git_oid *theirs)
{
	git_oid ours;

	if (p->o->run)
		return NULL;
	TRY(ref_read(&ours, p->g, NOTES_REF));
	if (git_oid_equal(&ours, theirs))
		return NULL;
	if (git_oid_is_zero(theirs) || leads_to(p->g, &ours, theirs))
		strvec_push(&p->plan->send, NOTES_REF ":" NOTES_REF);
	else
		strvec_push(&p->plan->receive,
			    "+" NOTES_REF ":" SYNC_NOTES_REF);
	return NULL;
}

/* Branches follow from the journals: those computed here are sent, and those of
 * the other side are never taken. */
static struct error *plan_branches(struct planning *p, const char *listing)
{
	cleanup_strvec struct strvec names = STRVEC_INIT;
	cleanup_free char *below =
		p->o->run ? xasprintf(BRANCH_REFS "%s/", p->o->run)
			  : xstrdup(BRANCH_REFS);

	if (!p->o->branches)
		return NULL;
	TRY(ref_names(&names, p->g, below));
	for (size_t i = 0; i < names.n; i++) {
		cleanup_free char *same = NULL;
		struct commit_id hex;
		git_oid id;

		if (!branch_is_ours(strrchr(names.v[i], '/') + 1))
			continue;
		TRY(ref_read(&id, p->g, names.v[i]));
		hex = oid_hex(&id);
		same = xasprintf("%s\t%s\n", hex.hex, names.v[i]);
		if (!strstr(listing, same))
			strvec_pushf(&p->plan->send, "+%s:%s", names.v[i],
				     names.v[i]);
	}
	return NULL;
}

/* "ID\tREF"; false for any other line. */
static bool next_line(git_oid *id, char ref[REF_NAME_MAX], const char **at)
{
	const char *line = *at;
	size_t len = strcspn(line, "\n");

	*at = line + len + (line[len] == '\n');
	*ref = '\0';
	if (len <= GIT_OID_HEXSZ + 1 || line[GIT_OID_HEXSZ] != '\t' ||
	    len - GIT_OID_HEXSZ - 1 >= REF_NAME_MAX ||
	    git_oid_fromstrn(id, line, GIT_OID_HEXSZ) < 0)
		return false;
	memcpy(ref, line + GIT_OID_HEXSZ + 1, len - GIT_OID_HEXSZ - 1);
	ref[len - GIT_OID_HEXSZ - 1] = '\0';
	return true;
}

static struct error *plan_theirs(struct planning *p, const char *listing)
{
	git_oid notes = {{0}}, id;
	char ref[REF_NAME_MAX];

	for (const char *at = listing; *at;) {
		if (!next_line(&id, ref, &at))
			continue;
		if (str_eq(ref, NOTES_REF))
			notes = id;
		strvec_push(&p->there, ref);
		TRY(plan_ref(p, ref, &id));
	}
	strvec_sort(&p->there);
	return plan_notes(p, &notes);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct error *plan_ours(struct planning *p)
{
	cleanup_strvec struct strvec names = STRVEC_INIT;
	const git_oid none = {{0}};

	TRY(ref_names(&names, p->g, JOURNAL_REFS));
	for (size_t i = 0; i < names.n; i++) {
		const char *key = names.v[i];

		if (!p->there.n || !bsearch(&key, p->there.v, p->there.n,
					    sizeof *p->there.v, compare_names))
			TRY(plan_ref(p, key, &none));
	}
	return NULL;
}

struct error *sync_plan_make(struct sync_plan *out, struct gitstore *g,
			     const char *listing, const struct sync_options *o)
{
	cleanup_sync_plan struct sync_plan plan = {.receive = STRVEC_INIT};
	CLEANUP(planning) struct planning p = {.plan = &plan, .g = g, .o = o};

	TRY(plan_theirs(&p, listing));
	TRY(plan_ours(&p));
	TRY(plan_branches(&p, listing));
	*out = plan;
	plan = (struct sync_plan){.receive = STRVEC_INIT};
	return NULL;
}
