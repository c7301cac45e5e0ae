#include "core/run/outcome.h"
#include "core/run/kinds.h"

#include <inttypes.h>
#include <math.h>

static const struct {
	const char *name, *line;
} outcomes[] = {
#define X(id, name, line) [id] = {name, line},
	ATTEMPT_OUTCOMES(X)
#undef X
};

/* In the words that every table of comparisons uses. */
static enum attempt_outcome not_faster(const struct measurement *m,
				       const struct comparison *c)
{
	if (c->decision == DECISION_SLOWER)
		return OUTCOME_SLOWER;
	if (measurement_is_open_loss(m, c))
		return OUTCOME_NOT_FASTER;
	return decision_is_same(c->decision, c->ratio95) ? OUTCOME_SAME
							 : OUTCOME_UNDECIDED;
}

/* It passed, and is not a parent of later attempts. */
static enum attempt_outcome why_not_kept(const struct measurement *m)
{
	const struct comparison *c = measurement_decisive(m);

	/* It has the figures of the earlier attempt, so they decide nothing. */
	if (measurement_get(m, "same_code"))
		return OUTCOME_SAME_CODE;
	if (!c)
		return OUTCOME_NOT_COMPARED;
	if (c->decision != DECISION_FASTER)
		return not_faster(m, c);
	if (!c->confirmed)
		return measurement_get(m, "unsteady") ? OUTCOME_UNSTEADY
						      : OUTCOME_UNCONFIRMED;
	return measurement_get(m, "unsanitized") ? OUTCOME_UNSANITIZED
						 : OUTCOME_NOT_CROWNED;
}

enum attempt_outcome attempt_outcome(const struct population *p,
				     const struct attempt *a)
{
	if (!a->measurement)
		return *p->only && a->number == 0 ? OUTCOME_START
						  : OUTCOME_IN_FLIGHT;
	if (a->measurement->verdict != VERDICT_PASS)
		return OUTCOME_FAILED;
	if (a->number == 0)
		return OUTCOME_START;
	if (p->champion && a == &p->attempt[p->champion])
		return OUTCOME_CHAMPION;
	return a->accepted ? OUTCOME_KEPT : why_not_kept(a->measurement);
}

const char *outcome_name(enum attempt_outcome o)
{
	return outcomes[o].name;
}

/* Was it found to be faster, and still not kept? */
static bool is_doubt(enum attempt_outcome o)
{
	return o == OUTCOME_UNCONFIRMED || o == OUTCOME_UNSTEADY ||
	       o == OUTCOME_UNSANITIZED || o == OUTCOME_NOT_CROWNED;
}

bool outcome_has_reason(enum attempt_outcome o)
{
	return is_doubt(o) || o == OUTCOME_NOT_FASTER;
}

const char *attempt_outcome_name(const struct population *p,
				 const struct attempt *a)
{
	enum attempt_outcome o = attempt_outcome(p, a);

	return o == OUTCOME_FAILED ? verdict_name(a->measurement->verdict)
				   : outcome_name(o);
}

/* The comparison has every figure of the rule, but not whether the task asks
 * that no case gets slower. So a slower case is named here. */
static void explain_no_crown(struct buf *out, const struct measurement *m)
{
	const struct comparison *c = measurement_decisive(m);

	if (c->worst_case < 1)
		buf_addf(out, ": a case is slower, %.3fx", c->worst_case);
	else
		buf_adds(out, ": another became champion meanwhile");
}

/* The attempt whose sources and figures this one has, NULL: it has its own. */
static const struct attempt *same_sources(const struct population *p,
					  const struct attempt *a)
{
	const char *id =
		a->measurement ? measurement_get(a->measurement, "same_sources")
			       : NULL;

	return id ? population_find(p, id) : NULL;
}

static void explain(struct buf *out, enum attempt_outcome o,
		    const struct measurement *m)
{
	const char *reason = NULL;

	if (o == OUTCOME_UNSTEADY || o == OUTCOME_NOT_FASTER)
		reason = measurement_get(m, "unsteady");
	if (o == OUTCOME_UNSANITIZED)
		reason = measurement_get(m, "unsanitized");
	buf_adds(out, o == OUTCOME_FAILED ? verdict_line(m->verdict)
					  : outcomes[o].line);
	if (reason)
		buf_addf(out, ": %s", reason);
	if (o == OUTCOME_NOT_CROWNED)
		explain_no_crown(out, m);
}

void attempt_outcome_explain(struct buf *out, const struct population *p,
			     const struct attempt *a)
{
	const struct attempt *of;

	explain(out, attempt_outcome(p, a), a->measurement);
	of = same_sources(p, a);
	if (of && of != a)
		buf_addf(out,
			 "; the same sources as #%" PRId64 ", measured then",
			 of->number);
}

enum attempt_outcome attempt_doubt(const struct attempt *a)
{
	enum attempt_outcome o;

	if (a->number == 0 || a->crowned || !attempt_passes(a))
		return OUTCOME_COUNT;
	o = why_not_kept(a->measurement);
	return is_doubt(o) ? o : OUTCOME_COUNT;
}

void attempt_doubt_explain(struct buf *out, const struct attempt *a)
{
	explain(out, attempt_doubt(a), a->measurement);
}

/* The name of a kind of machine of which it is the champion; NULL: of none. */
static const char *champion_of(const struct population *p,
			       const struct attempt *a)
{
	for (size_t i = 0; i < p->n_machines; i++)
		if (p->machine[i].champion &&
		    a == &p->attempt[p->machine[i].champion])
			return p->machine[i].name;
	return NULL;
}

/* One that was accepted without a crown beat what its lineage had, and that was
 * not the champion: of the champion itself an attempt must win the crown. */
static void explain_kept(struct buf *out, const struct population *p,
			 const struct attempt *a)
{
	const char *machine = champion_of(p, a);

	if (machine)
		buf_addf(out, "champion on %s", machine);
	else if (a->crowned)
		buf_adds(out, "was champion before");
	else if (str_eq(a->id.hex, p->record.from.hex))
		buf_adds(out, "the run was begun with it, whatever its speed");
	else if (attempt_doubt(a) != OUTCOME_COUNT)
		attempt_doubt_explain(out, a);
	else if (measurement_decisive(a->measurement))
		buf_adds(out, "faster than its lineage was, not than the "
			      "champion");
}

void attempt_reason_add(struct buf *out, const struct population *p,
			const struct attempt *a)
{
	enum attempt_outcome o = attempt_outcome(p, a);

	if (o == OUTCOME_KEPT)
		explain_kept(out, p, a);
	else if (outcome_has_reason(o))
		explain(out, o, a->measurement);
}

const struct attempt *attempt_nearest(const struct population *p)
{
	const struct attempt *best = NULL;

	for (size_t i = 0; i < p->n; i++) {
		const struct attempt *a = &p->attempt[i];

		/* Which doubt it is takes longest. */
		if (isfinite(a->gain) && a->gain > 0 &&
		    (!best || a->gain > best->gain) &&
		    attempt_doubt(a) != OUTCOME_COUNT)
			best = a;
	}
	return best;
}

/* A gain (log) over the champion that is worth a line. */
#define MAYBE 0.02

/* By how much it may be faster than the champion (log); NAN: nothing says so. */
static double maybe_gain(const struct population *p, const struct attempt *a)
{
	const struct attempt *champion = &p->attempt[p->champion];
	const struct comparison *c;

	if (a == champion || a->number == 0 || a->crowned ||
	    !attempt_passes(a) || measurement_get(a->measurement, "same_code"))
		return NAN;
	c = measurement_decisive(a->measurement);
	if (!c || c->confirmed || c->decision == DECISION_SLOWER ||
	    !measurement_get(a->measurement, "unsteady"))
		return NAN;
	return kinds_gain(p, a, champion->kind) - champion->gain;
}

size_t attempt_maybe_faster(const struct attempt **out, size_t most,
			    const struct population *p)
{
	size_t n = 0;

	while (p->champion && n < most) {
		const struct attempt *best = NULL;
		double least = MAYBE;

		for (size_t i = 0; i < p->n; i++) {
			const struct attempt *a = &p->attempt[i];
			double gain = maybe_gain(p, a);
			bool told = false;

			for (size_t k = 0; k < n; k++)
				told |= out[k] == a;
			if (told || !(gain > least))
				continue;
			best = a;
			least = gain;
		}
		if (!best)
			break;
		out[n++] = best;
	}
	return n;
}

char *attempt_again_command(const char *run, const struct attempt *a)
{
	return xasprintf("avogit score --again --run %s %s#%lld", run, run,
			 (long long)a->number);
}
