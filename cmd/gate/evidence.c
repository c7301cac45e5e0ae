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
/* A difference (log ratio) that is smaller is never decided; it is what two
 * processes of the same code may differ by. */
#define PRECISION 0.002
/* An interval that is wider may lie above by luck, and there are eight of it. */
#define NARROW 1.07
/* Half of a 95 % interval in standard errors; the same of one that is looked at
 * GATE_MOST times (Pocock 1977, table 1, for 8 and 0.05). */
#define HALF_95	      1.96
#define HALF_95_LOOKS 2.512

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

/* ---- all measurements as one figure -------------------------------------- */

/* The standard error of a log ratio. */
static double error_of(const struct comparison *c)
{
	double below = log(c->ratio / c->ratio95.lo);
	double above = log(c->ratio95.hi / c->ratio);

	/* The end of a decided interval may have been cut at 1. */
	return MAX(MAX(below, above) / HALF_95, PRECISION / HALF_95);
}

/* The mean weighted by the errors, which are stretched where the measurements
 * scatter more than they say of themselves (Birge 1932). */
static void combine(struct gate_evidence *e, const double *x,
		    const double *error, size_t n)
{
	double weights = 0, sum = 0, chi = 0, half;

	for (size_t i = 0; i < n; i++) {
		weights += 1 / (error[i] * error[i]);
		sum += x[i] / (error[i] * error[i]);
	}
	sum /= weights;
	for (size_t i = 0; i < n; i++)
		chi += (x[i] - sum) * (x[i] - sum) / (error[i] * error[i]);
	half = HALF_95 * sqrt(MAX(1, chi / (double)(n - 1)) / weights);
	e->ratio = exp(sum);
	e->ratio95 = (struct interval){exp(sum - half), exp(sum + half)};
}

/* Is the mean below what passes, as the scatter of the measurements has it? */
static bool loses_by_scatter(const double *x, size_t n, double least)
{
	/* What the look after so many may spend. */
	static const double alpha[GATE_MOST + 1] = {
		[4] = 3e-5, [5] = 3e-5, [6] = 5e-5, [7] = 8e-5, [8] = 1e-4};
	double below = log(least) - PRECISION - stats_mean(x, n);
	/* Figures that agree by luck scatter less than processes do. */
	double scatter = MAX(stats_sd(x, n), PRECISION / 2);

	return alpha[n] > 0 && stats_t_above(below / scatter * sqrt((double)n),
					     (double)(n - 1)) < alpha[n];
}

/* ---- what it decides ------------------------------------------------------ */

/* Where the interval begins that may be asked after each measurement. */
static double least_speed(const struct gate_evidence *e)
{
	if (e->n < 2)
		return e->ratio95.lo;
	return e->ratio *
	       pow(e->ratio95.lo / e->ratio, HALF_95_LOOKS / HALF_95);
}

static bool passes(const struct gate_evidence *e,
		   const struct gate_rules *rules)
{
	double lo = least_speed(e), hi = e->ratio95.hi;
	bool narrow = hi <= NARROW * e->ratio95.lo;

	/* One that was found outweighs what found nothing until two did. */
	if (e->losses && e->n <= 2 * e->losses)
		return false;
	if (e->gain)
		return true;
	if (rules->allow > 0 && lo >= least_of(rules))
		return narrow || e->n == 1;
	return narrow && lo >= GATE_NO_LOSS && hi >= 1;
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
	double x[GATE_MOST], error[GATE_MOST];
	bool confirmed = false;
	size_t told = 0; /* so many of x and error are known */

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
		/* Its time was over before the first look. */
		if (!isfinite(c->ratio))
			continue;
		x[told] = log(c->ratio);
		error[told++] = error_of(c);
		e.ratio = c->ratio;
		e.ratio95 = c->ratio95;
	}
	if (told > 1)
		combine(&e, x, error, told);
	e.gain = e.gain && !e.losses && e.ratio95.hi >= 1;
	e.faster = least_speed(&e) > 1 || (e.n == 1 && e.gain);
	e.by_scatter = e.losses < 2 && told > 1 &&
		       loses_by_scatter(x, told, least_of(rules));
	if (e.losses > 1 || e.by_scatter)
		e.speed = GATE_SPEED_LOSES;
	else if (e.n && passes(&e, rules))
		e.speed = GATE_SPEED_PASSES;
	e.claim = claim_of(&e, rules, confirmed);
	return e;
}
