/*
 * What several measurements of one kernel say together. Each is made in fresh
 * processes with a fresh seed, so that the layout of memory, the inputs and what
 * else the machine did are drawn again.
 *
 * A loss is said in two ways, and the chance to say it of the same kernel is
 * spent in advance:
 *
 * - Two of at most eight measurements found it. Each finds one wrongly with at
 *   most 0.005 (half of the 0.01 of COMPARISON_DESIGN_DEFAULT, either way), so
 *   two of eight with at most 1 - 0.995^8 - 8 * 0.005 * 0.995^7 = 0.00069.
 * - All together, by a t-test whose observations are the measurements. On a busy
 *   machine no single one is believed, since what disturbed it could have made
 *   the loss; but that has no reason to side with the same kernel every time,
 *   and the scatter of the measurements holds it. The looks after four to eight
 *   spend 0.00029.
 *
 * The sum is below one in a thousand.
 *
 * That there is no loss is asked after each measurement, too, and the first yes
 * ends the gate. So what several measurements say together must say it with the
 * width that eight looks ask for (Pocock 1977).
 */
#include "cmd/gate/gate.h"

#include <math.h>

/* So that 3 % is 0.97, and not a rounding error above it. */
#define ROUNDING 1e-9
/* An interval that is wider may lie above by luck, and there are eight of it. */
#define NARROW 1.07

/* The least speed relative to BASE that passes. */
static double least_of(const struct gate_rules *rules)
{
	return 1 - rules->allow - ROUNDING;
}

const struct comparison *gate_comparison(const struct measurement *m)
{
	return m ? measurement_against(m, RIVAL_INCUMBENT, NULL) : NULL;
}

bool gate_is_loss(const struct measurement *m, const struct gate_rules *rules)
{
	const struct comparison *c = gate_comparison(m);

	return c && m->verdict == VERDICT_PASS &&
	       c->decision == DECISION_SLOWER &&
	       (rules->allow <= 0 || c->ratio95.hi < least_of(rules));
}

/* ---- what it decides ------------------------------------------------------ */

/* low: where the interval begins that may be asked after each measurement. */
static bool passes(const struct gate_evidence *e, double low,
		   const struct gate_rules *rules)
{
	double hi = e->ratio95.hi;
	bool narrow = hi <= NARROW * e->ratio95.lo;

	/* One that was found outweighs what found nothing until two did. */
	if (e->losses && e->n <= 2 * e->losses)
		return false;
	if (e->gain)
		return true;
	if (rules->allow > 0 && low >= least_of(rules))
		return narrow || e->n == 1;
	return narrow && low >= GATE_NO_LOSS && hi >= 1;
}

static enum gate_answer claim_of(const struct gate_evidence *e,
				 const struct gate_rules *rules, bool confirmed)
{
	double claim = rules->claim * (confirmed ? 1 - ROUNDING : 1 + ROUNDING);

	if (rules->claim <= 0)
		return GATE_YES;
	if (e->ratio95.hi < claim)
		return GATE_NO;
	return confirmed ? GATE_YES : GATE_OPEN;
}

struct gate_evidence gate_weigh(const struct gate_kernel *k,
				const struct gate_rules *rules)
{
	struct gate_evidence e = {
		.n = k->n_measured, .ratio = NAN, .ratio95 = {0, INFINITY}};
	struct sessions told = {.n = 0};
	double low = e.ratio95.lo;
	bool confirmed = false;

	for (size_t i = 0; i < e.n; i++) {
		const struct measurement *m = k->measured[i];
		const struct comparison *c = gate_comparison(m);

		if (!c || m->verdict != VERDICT_PASS)
			return (struct gate_evidence){.n = 0};
		e.losses += gate_is_loss(m, rules);
		e.gain |= c->decision == DECISION_FASTER;
		confirmed |= c->decision == DECISION_FASTER && c->confirmed;
		e.at_least |= c->at_least;
		e.worst_case = MAX(e.worst_case, c->worst_case);
		sessions_add(&told, c);
		/* Its time was over before the first look. */
		if (!isfinite(c->ratio))
			continue;
		e.ratio = c->ratio;
		e.ratio95 = c->ratio95;
		low = c->ratio95.lo;
	}
	if (told.n > 1) {
		sessions_combine(&e.ratio, &e.ratio95, &told);
		low = sessions_low(&told);
	}
	e.gain = e.gain && !e.losses && e.ratio95.hi >= 1;
	e.faster = low > 1 || (e.n == 1 && e.gain);
	e.by_scatter = e.losses < 2 &&
		       sessions_below(&told, log(least_of(rules)));
	if (e.losses > 1 || e.by_scatter)
		e.speed = GATE_SPEED_LOSES;
	else if (e.n && passes(&e, low, rules))
		e.speed = GATE_SPEED_PASSES;
	e.claim = claim_of(&e, rules, confirmed);
	return e;
}
