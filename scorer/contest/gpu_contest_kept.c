/* What a contest of a search on the GPU has of earlier ones, and leaves to later
 * ones: plans and launchers of its rivals (contest->used_before). */
#include "scorer/contest/gpu_contest_internal.h"
#include "scorer/host/gpu_setup.h"

/* Each plan is an open file; a process may have a thousand. */
#define KEPT_FILES 128

static size_t n_cases(const struct gpu_contest *f)
{
	return f->contest->sc->task->n_cases;
}

/* ---- plans --------------------------------------------------------------- */

/* The names of all rivals: the plans of a set are of one address. */
static char *rivals(const struct gpu_contest *f)
{
	cleanup_free char *names = xstrdup("");

	for (size_t i = 1; i < f->contest->n; i++) {
		cleanup_free char *before = steal(&names);

		names = xasprintf("%s %s", before,
				  f->contest->contender[i].name);
	}
	return steal(&names);
}

void gpu_kept_plans_take(struct gpu_contest *f)
{
	struct kept_plans *kept = &f->contest->sc->plans;
	size_t n = (f->contest->n - 1) * n_cases(f);
	cleanup_free int *plan = xcalloc(n + 1, sizeof *plan);
	cleanup_free char *whose = NULL;

	if (!f->contest->used_before)
		return;
	whose = rivals(f);
	if (!kept_plans_know(kept, whose))
		return;
	if (!kept_plans_take(&f->at, plan, kept)) {
		f->keeps_plans = n * KEPT_SETS <= KEPT_FILES;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		size_t contender = 1 + i / n_cases(f);

		f->plan[contender][i % n_cases(f)] = plan[i];
		if (!gpu_plan_is_chain(plan[i]))
			f->side_by_side[contender] = true;
	}
}

void gpu_kept_plans_draw(struct gpu_contest *f)
{
	struct scoring *sc = f->contest->sc;

	if (!f->keeps_plans)
		return;
	kept_plans_begin(&sc->plans, (f->contest->n - 1) * n_cases(f));
	for (size_t s = 0; s < KEPT_SETS; s++) {
		gpu_addresses_draw(&sc->plans.set[s].at, &sc->layout);
		gpu_addresses_shift(&sc->plans.set[s].at, &sc->layout);
	}
}

int *gpu_kept_plan(struct gpu_contest *f, size_t set, size_t contender,
		   size_t which)
{
	return &f->contest->sc->plans.set[set]
			.plan[(contender - 1) * n_cases(f) + which];
}

void gpu_kept_plans_whole(struct gpu_contest *f)
{
	struct kept_plans *kept = &f->contest->sc->plans;
	bool whole = true;

	for (size_t s = 0; f->keeps_plans && s < KEPT_SETS; s++)
		for (size_t i = 0; i < kept->n_plans; i++)
			whole = whole && kept->set[s].plan[i] >= 0;
	if (f->keeps_plans && whole)
		kept->n = KEPT_SETS;
}

/* ---- launchers ----------------------------------------------------------- */

void gpu_contest_lend(struct gpu_contest *f, struct runner **launcher)
{
	f->checked = steal(launcher);
}

struct runner *gpu_kept_launcher(unsigned *uses, struct gpu_contest *f,
				 size_t at)
{
	struct contest *c = f->contest;

	*uses = 0;
	if (!c->used_before || at >= c->n || f->side_by_side[at])
		return NULL;
	if (at == 0)
		return steal(&f->checked);
	return launchers_take_kept(uses, c->sc, c->contender[at].name);
}

bool gpu_kept_leave(struct gpu_contest *f, size_t at)
{
	struct contest *c = f->contest;
	struct contest_launcher *l = &f->launcher[at];

	if (!c->used_before || !at || at >= c->n || !l->replays || !l->runner ||
	    l->all_queues || f->side_by_side[at] || c->by_process ||
	    gpu_contest_is_resident(f, at) ||
	    gpu_plan_takes_memory(f->plan[at][0]))
		return false;
	launchers_keep(c->sc, l->runner, c->contender[at].name, l->uses + 1);
	return true;
}
