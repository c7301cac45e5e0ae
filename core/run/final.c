/*
 * The final among the leaders. A search compares each attempt with its rival
 * for as short a time as it can, and on a busy machine a gain may be lost so:
 * the interval holds 1, or the gain was not more than the machine's
 * unsteadiness. Before the run ends, the best of these are measured again; and
 * once more where it goes on later, while the machine is what leaves them open.
 */
#include <math.h>

#include "core/base/clock.h"
#include "core/run/kinds.h"
#include "core/run/loop.h"
#include "core/run/outcome.h"

#define FINALISTS 3
/* No other finalist once the final took so many seconds, and more than this
 * share of the call. */
#define SECONDS 5
#define SHARE	0.2
/* Below every gain (log) that was seen. */
#define UNSEEN 1000
/* A gain (log) that could not be larger is not worth it. */
#define WORTH 0.005

/* The largest gain over the champion that the comparison leaves open (log);
 * -HUGE_VAL if its rival's gain is not known. *likely: the most likely one. */
static double open_gain(double *likely, const struct population *p,
			const struct comparison *c)
{
	const struct attempt *rival = population_find(p, c->name);
	const struct attempt *champion = &p->attempt[p->champion];
	double ahead;

	*likely = -HUGE_VAL;
	ahead = rival ? kinds_gain(p, rival, champion->kind) - champion->gain
		      : NAN;
	if (!isfinite(ahead))
		return -HUGE_VAL;
	/* Nothing was seen of it: the last to be asked. */
	if (!(c->ratio > 0) || !(c->ratio95.hi > 0)) {
		*likely = -UNSEEN;
		return HUGE_VAL;
	}
	*likely = ahead + log(c->ratio);
	return ahead + log(c->ratio95.hi);
}

static bool is_decided(const struct measurement *m, const struct comparison *c)
{
	if (c->decision == DECISION_FASTER)
		return c->confirmed || !measurement_get(m, "unsteady");
	return c->decision == DECISION_SLOWER ||
	       str_eq(decision_name(c->decision, c->ratio95), "same");
}

/* Was it in a final against this champion already? One of an earlier call, which
 * an unsteady machine left open, is held once more: the machine may be quiet
 * now. */
static bool had_its_final(const struct loop *l, const struct attempt *a,
			  const struct comparison *c)
{
	const struct measurement *m = a->measurement;

	return measurement_get(m, "final") &&
	       str_eq(c->name, l->p->attempt[l->p->champion].id.hex) &&
	       (!measurement_get(m, "unsteady") ||
		strvec_has(&l->finals, a->id.hex));
}

/* Measured as the champion was: its figures can be compared. */
static bool is_comparable(const struct loop *l, const struct measurement *m)
{
	const struct measurement *of =
		l->p->attempt[l->p->champion].measurement;

	return of && identity_comparable(&of->identity, &m->identity);
}

/* *likely is set if it is one. */
static bool is_finalist(double *likely, const struct loop *l, size_t at)
{
	const struct attempt *a = &l->p->attempt[at];
	const struct measurement *m = a->measurement;
	const struct comparison *c;

	if (!m || m->verdict != VERDICT_PASS || at == 0 ||
	    at == l->p->champion || (a->accepted && !measurement_is_open(m)) ||
	    measurement_get(m, "same_code") || !is_comparable(l, m))
		return false;
	c = measurement_decisive(m);
	return c && !is_decided(m, c) && !had_its_final(l, a, c) &&
	       open_gain(likely, l->p, c) > WORTH;
}

/* Are its sources those of a later attempt? That one stands for both. */
static bool is_repeated(const struct population *p, size_t at)
{
	const struct measurement *m = p->attempt[at].measurement;

	for (size_t i = at + 1; i < p->n; i++) {
		const struct measurement *other = p->attempt[i].measurement;

		if (other && m &&
		    str_eq(other->identity.sources, m->identity.sources))
			return true;
	}
	return false;
}

/* The most promising one; 0: there is none. */
static size_t best_finalist(const struct loop *l)
{
	double most = -HUGE_VAL, likely;
	size_t best = 0;

	for (size_t i = 1; i < l->p->n; i++)
		if (is_finalist(&likely, l, i) && likely > most &&
		    !is_repeated(l->p, i)) {
			most = likely;
			best = i;
		}
	return best;
}

/* A final that the time cuts short sees less than its last scoring did. In half of
 * what that took, which may have been several sessions, there is one. */
#define FITS 0.5

static bool fits(const struct loop *l, size_t at, double seconds)
{
	return FITS * l->p->attempt[at].measurement->seconds_total <= seconds;
}

/* For a final that their share has no room for no attempt is left out. */
bool loop_has_last_measurements(const struct loop *l)
{
	size_t at;

	if (!l->e->final || l->e->proposes)
		return false;
	if (!loop_champion_is_measured(l))
		return true;
	at = best_finalist(l);
	return at && fits(l, at, l->limit.all - l->limit.attempts);
}

static bool took_enough(const struct loop *l, double began)
{
	double now = clock_run_seconds();

	return now - began > MAX(SECONDS, SHARE * (now - l->began));
}

static void say_left_out(struct loop *l, size_t at)
{
	const struct attempt *a = &l->p->attempt[at];
	cleanup_free char *again = attempt_again_command(l->e->run, a);
	cleanup_free char *text = xasprintf(
		"no time is left to measure #%lld once more, which may be "
		"faster than the %s: `%s` does that",
		(long long)a->number, l->p->champion ? "champion" : "start",
		again);

	loop_tell(l, EVOLVE_REMARKED, a, text);
}

struct error *loop_final(struct loop *l, bool *crowned)
{
	const double began = clock_run_seconds();
	size_t champion = l->p->champion, last = 0;

	for (size_t i = 0; i < FINALISTS && !took_enough(l, began); i++) {
		size_t at = best_finalist(l);

		/* The last one is still there where the time cut it short. */
		if (!at || at == last || loop_asked_to_stop(l))
			break;
		if (!fits(l, at, l->until - clock_run_seconds())) {
			say_left_out(l, at);
			break;
		}
		loop_tell(l, EVOLVE_REMARKED, &l->p->attempt[at],
			  champion ? "measured once more in the final: it may "
				     "be faster than the champion"
				   : "measured once more in the final: it may "
				     "be faster than the start");
		last = at;
		strvec_push(&l->finals, l->p->attempt[at].id.hex);
		TRY(loop_measure_again(l, at, true));
	}
	*crowned = l->p->champion != champion;
	return NULL;
}
