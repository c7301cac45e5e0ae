#include "cmd/session/claim.h"

/* Absolute figures of different minutes differ so much on shared machines. */
#define SCORE_SLACK 1.25
/* A note has four decimals of a ratio; an exact one has no other interval. */
#define ROUNDED 1e-4

bool claim_is(const struct measurement *m)
{
	return !measurement_get(m, CLAIM_KEY);
}

bool claim_is_pass(const struct measurement *m)
{
	return claim_is(m) && m->verdict == VERDICT_PASS;
}

static bool point(struct strvec *points, bool holds, const char *text)
{
	strvec_pushf(points, "%s: %s", holds ? "holds" : "fails", text);
	return holds;
}

static bool same_verdict(struct strvec *points, const struct measurement *claim,
			 const struct measurement *today)
{
	cleanup_free char *text = xasprintf("%s, and %s was claimed%s%s",
					    verdict_name(today->verdict),
					    verdict_name(claim->verdict),
					    today->why ? ": " : "",
					    today->why ? today->why : "");

	return point(points, today->verdict == claim->verdict, text);
}

static bool same_unit(const struct measurement *a, const struct measurement *b)
{
	double size_a, size_b;

	return str_eq(measurement_unit(&size_a, a),
		      measurement_unit(&size_b, b));
}

static bool about_as_good(const struct measurement *claim,
			  const struct measurement *today)
{
	const char *better = measurement_get(today, BETTER_KEY);

	if (better && str_eq(better, BETTER_LOWER))
		return SCORE_SLACK * claim->score >= today->score;
	return claim->score <= SCORE_SLACK * today->score;
}

static bool score_held(struct strvec *points, const struct measurement *claim,
		       const struct measurement *today)
{
	char now[RATE_TEXT], then[RATE_TEXT];
	cleanup_free char *text = NULL;

	measurement_format(now, sizeof now, today, today->score);
	measurement_format(then, sizeof then, claim, claim->score);
	text = xasprintf("%s, where %s was claimed", now, then);
	return point(points,
		     same_unit(claim, today) && about_as_good(claim, today),
		     text);
}

/* Beaten again and, on the same kind of machine, by about as much: today's
 * interval is not entirely below the claimed one. */
static bool win_shown(const struct comparison *then,
		      const struct comparison *now, bool same_machine)
{
	return now && now->decision == DECISION_FASTER &&
	       (!same_machine ||
		now->ratio95.hi * (1 + ROUNDED) >= then->ratio95.lo);
}

/* Today's measurement is too coarse: it shows no win, but the two intervals
 * overlap. */
static bool win_open(const struct comparison *then,
		     const struct comparison *now, bool same_machine)
{
	return now && same_machine && now->decision == DECISION_NONE &&
	       now->ratio95.hi >= then->ratio95.lo;
}

static char *beaten(const struct comparison *c, const char *start)
{
	enum rival rival = c->rival;

	if (rival == RIVAL_BASELINE)
		return xstrdup(c->name);
	if (start && str_eq(c->name, start))
		rival = RIVAL_START;
	return xasprintf("the %s (%.10s)", rival_name(rival), c->name);
}

static bool win_held(struct strvec *points, const struct comparison *then,
		     const struct comparison *now, bool same_machine,
		     const char *start)
{
	bool holds = win_shown(then, now, same_machine);
	cleanup_free char *name = beaten(then, start);
	cleanup_free char *text = NULL;

	if (now)
		text = xasprintf("%.3fx [%.3f, %.3f] the speed of %s, where "
				 "%.3fx [%.3f, %.3f] was claimed",
				 now->ratio, now->ratio95.lo, now->ratio95.hi,
				 name, then->ratio, then->ratio95.lo,
				 then->ratio95.hi);
	else
		text = xasprintf("%s cannot be measured here, so that %.3fx "
				 "its speed is not shown",
				 name, then->ratio);
	if (!holds && win_open(then, now, same_machine)) {
		strvec_pushf(points, "open: %s", text);
		return true;
	}
	return point(points, holds, text);
}

bool claim_holds(struct strvec *points, const struct measurement *claim,
		 const struct measurement *today, const char *start)
{
	bool same_machine =
		str_eq(claim->identity.machine, today->identity.machine);
	bool holds = same_verdict(points, claim, today);

	if (claim->verdict != VERDICT_PASS || today->verdict != VERDICT_PASS)
		return holds;
	if (same_machine)
		holds &= score_held(points, claim, today);
	for (size_t i = 0; i < claim->n_comparisons; i++) {
		const struct comparison *then = &claim->comparisons[i];

		if (then->decision == DECISION_FASTER)
			holds &=
				win_held(points, then,
					 measurement_against(today, then->rival,
							     then->name),
					 same_machine, start);
	}
	return holds;
}
