/*
 * The branches of a run, computed from its population: best, winner, and one
 * for each live lineage. A branch that is checked out in some work tree is not
 * moved, because that would change what the user sees there; it is moved when
 * the run goes on after it is no longer checked out.
 */
#include <ctype.h>

#include "core/base/hash.h"
#include "gitstore/git/internal.h"
#include "gitstore/run/run.h"

/* Lineages that get a branch of their own. */
#define MAX_LINEAGE_BRANCHES 8

struct wanted_branch {
	char name[REF_NAME_MAX];
	git_oid id;
};

struct branch_plan {
	const char *run;
	struct wanted_branch want[MAX_LINEAGE_BRANCHES + 2];
	size_t n;
	bool has_winner;
	bool has_note; /* the winner has its */
};

static struct error *want(struct branch_plan *plan, const char *leaf,
			  const git_oid *id)
{
	struct wanted_branch *w = &plan->want[plan->n++];

	snprintf(w->name, sizeof w->name, BRANCH_REFS "%s/%s", plan->run, leaf);
	w->id = *id;
	return NULL;
}

static struct error *want_attempt(struct branch_plan *plan, const char *leaf,
				  const struct attempt *a)
{
	git_oid id;

	TRY(oid_parse(&id, a->id.hex));
	return want(plan, leaf, &id);
}

/* Does a line of the note say that this measurement of that attempt is quoted? */
static bool quotes(const char *note, const struct measurement *m,
		   const struct attempt *a)
{
	cleanup_free char *of = xasprintf(" of=%s", a->id.hex);

	for (const char *s = note; s && *s;
	     s += strcspn(s, "\n"), s += *s != 0) {
		cleanup_free char *line = xstrndup(s, strcspn(s, "\n"));

		if (starts_with(line, m->id) && strstr(line, of) &&
		    !strstr(line, " against="))
			return true;
	}
	return false;
}

/* Of all runs, `branches_done` has the last one, and begins with its name. */
static bool made_last(const struct gitstore *g, const char *run)
{
	size_t len = strlen(run);

	return g->branches_done && starts_with(g->branches_done, run) &&
	       g->branches_done[len] == ' ';
}

/* The winner that another process of this clone has made of the champion as it is
 * now, by its note: to tell a long lineage again takes a while. Not where this
 * process did not make the branches of this run last: then it makes all of it true. */
static struct error *find_made(struct branch_plan *plan, git_oid *winner,
			       struct gitstore *g, const struct population *p)
{
	const struct attempt *champion = &p->attempt[p->champion];
	cleanup_free char *name = xasprintf(BRANCH_REFS "%s/winner", plan->run);
	cleanup_free char *note = NULL;
	struct commit_id hex;

	if (!made_last(g, plan->run) || !p->champion || !champion->measurement)
		return NULL;
	TRY(ref_read(winner, g, name));
	if (git_oid_is_zero(winner))
		return NULL;
	hex = oid_hex(winner);
	TRY(gitstore_note(&note, g, hex.hex));
	plan->has_note = quotes(note, champion->measurement, champion);
	return NULL;
}

static struct error *make_plan(struct branch_plan *plan, struct gitstore *g,
			       const struct population *p)
{
	size_t live[MAX_LINEAGE_BRANCHES];
	size_t n = population_live(p, live, ARRAY_SIZE(live));
	git_oid winner;

	TRY(want_attempt(plan, "best", &p->attempt[p->champion]));
	TRY(find_made(plan, &winner, g, p));
	plan->has_winner = plan->has_note;
	if (!plan->has_note)
		TRY(story_commit(&winner, &plan->has_winner, g, p,
				 &p->attempt[p->champion]));
	if (plan->has_winner)
		TRY(want(plan, "winner", &winner));
	for (size_t i = 0; i < n; i++) {
		const struct lineage *l = &p->lineage[live[i]];
		char leaf[32];

		snprintf(leaf, sizeof leaf, "%lld", (long long)l->number);
		TRY(want_attempt(plan, leaf, &p->attempt[l->tip]));
	}
	return NULL;
}

static void add_lineage(struct hash *h, const struct population *p,
			const struct lineage *l)
{
	const struct attempt *tip = &p->attempt[l->tip];

	if (l->tip == l->root)
		return;
	hash_add(h, &l->number, sizeof l->number);
	hash_adds(h, tip->id.hex);
	hash_add(h, &tip->gain, sizeof tip->gain);
}

/* Everything that the branches depend on, to see quickly that nothing has to be
 * done: every lineage, because finding the live ones takes a walk along the
 * champion's. */
static char *fingerprint(const struct population *p)
{
	const struct attempt *champion = &p->attempt[p->champion];
	const struct measurement *m = champion->measurement;
	const struct measurement *start = p->attempt[0].measurement;
	struct hash *h = hash_new();
	char lineages[HASH_HEX_LEN + 1];

	for (size_t i = 0; i < p->n_lineages; i++)
		add_lineage(h, p, &p->lineage[i]);
	hash_finish(lineages, h);
	return xasprintf("%s %s %s %s %s", p->record.run, champion->id.hex,
			 m ? m->id : "", start ? start->id : "", lineages);
}

static struct error *point(struct gitstore *g, const struct wanted_branch *w)
{
	struct error *err;
	unsigned tries = 0;

	do {
		git_oid now;

		TRY(ref_read(&now, g, w->name));
		if (git_oid_equal(&now, &w->id))
			return NULL;
		if (!git_oid_is_zero(&now) && ref_is_checked_out(g, w->name))
			return NULL;
		err = ref_move(g, w->name, &w->id, &now);
	} while (ref_try_again(err, &tries));
	return err;
}

static bool is_wanted(const struct branch_plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->n; i++)
		if (str_eq(plan->want[i].name, name))
			return true;
	return false;
}

static struct error *remove_dead(struct gitstore *g,
				 const struct branch_plan *plan)
{
	cleanup_free char *prefix = xasprintf(BRANCH_REFS "%s/", plan->run);
	cleanup_strvec struct strvec names = STRVEC_INIT;

	TRY(ref_names(&names, g, prefix));
	for (size_t i = 0; i < names.n; i++)
		if (!is_wanted(plan, names.v[i]) &&
		    branch_is_ours(names.v[i] + strlen(prefix)) &&
		    !ref_is_checked_out(g, names.v[i]))
			TRY(ref_delete(g, names.v[i]));
	return NULL;
}

/* The winner's note quotes the champion's scores. */
static struct error *note_winner(struct gitstore *g,
				 const struct branch_plan *plan,
				 const struct population *p)
{
	const struct attempt *champion = &p->attempt[p->champion];
	cleanup_measurement struct measurement *m = NULL;
	struct commit_id hex;

	if (!plan->has_winner || plan->has_note || !champion->measurement)
		return NULL;
	m = measurement_dup(champion->measurement);
	measurement_set(m, "of", champion->id.hex);
	hex = oid_hex(&plan->want[1].id);
	return gitstore_note_add(g, hex.hex, m);
}

static struct error *make_true(struct gitstore *g, const struct population *p)
{
	struct branch_plan plan = {.run = p->record.run};

	TRY(make_plan(&plan, g, p));
	TRY(note_winner(g, &plan, p));
	/* Removals first, because a number may be used again. */
	TRY(remove_dead(g, &plan));
	for (size_t i = 0; i < plan.n; i++)
		TRY(point(g, &plan.want[i]));
	return NULL;
}

struct error *gitstore_branches(struct gitstore *g, const struct population *p)
{
	cleanup_store_lock struct gitstore *held = NULL;
	cleanup_free char *print = NULL;
	struct error *err;

	if (!p->has_record || p->n == 0)
		return NULL;
	print = fingerprint(p);
	if (g->branches_done && str_eq(g->branches_done, print))
		return NULL;
	TRY(store_lock(&held, g));
	err = make_true(g, p);
	if (err) {
		TRY(gitstore_check_branches(g, p->record.run));
		return error_wrap(err, "the branches of run '%s'",
				  p->record.run);
	}
	free(g->branches_done);
	g->branches_done = steal(&print);
	return NULL;
}

/* If a process extends the run, that process moves its branches. */
bool gitstore_branches_missing(struct gitstore *g, const char *run)
{
	cleanup_free char *best = xasprintf(BRANCH_REFS "%s/best", run);
	cleanup_population struct population p = {0};
	cleanup_error struct error *err = NULL;
	git_oid id;

	err = ref_read(&id, g, best);
	if (err || !git_oid_is_zero(&id) || gitstore_run_holder(g, run))
		return false;
	err = gitstore_population(&p, g, run);
	if (!err)
		err = gitstore_branches(g, &p);
	return !err && p.has_record;
}

char *gitstore_run_elsewhere(struct gitstore *g)
{
	static const char remotes[] = "refs/remotes/";
	cleanup_strvec struct strvec names = STRVEC_INIT;
	cleanup_error struct error *err = ref_names(&names, g, remotes);

	for (size_t i = 0; !err && i < names.n; i++) {
		const char *name = names.v[i] + strlen(remotes);
		const char *run = strstr(name, "/avo/");

		if (run && ends_with(run, "/best"))
			return xstrdup(name);
	}
	return NULL;
}

/* ---- what may block the branches --------------------------------------- */

static struct error *check_no_branch(struct gitstore *g, const char *branch,
				     const char *run)
{
	cleanup_free char *ref = xasprintf("refs/heads/%s", branch);
	git_oid id;

	TRY(ref_read(&id, g, ref));
	if (git_oid_is_zero(&id))
		return NULL;
	return error_new(ERROR_REFUSED,
			 "a branch called '%s' is in the way of the branches "
			 "of the run, avo/%s/best and others: rename it with "
			 "`git branch -m %s %s-old`",
			 branch, run, branch, branch);
}

struct error *gitstore_check_branches(struct gitstore *g, const char *run)
{
	cleanup_free char *own = xasprintf("avo/%s", run);

	TRY(run_name_check(run));
	TRY(check_no_branch(g, "avo", run));
	return check_no_branch(g, own, run);
}
