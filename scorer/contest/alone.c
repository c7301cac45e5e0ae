#include "scorer/contest/alone.h"

#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "scorer/contest/check.h"

#define BUDGET	     0.03 /* seconds of the reference for a case */
#define LONG_SECONDS 0.5  /* of a process of its own */
#define SHARE	     0.05 /* of all time, for those that take as long */

struct error *alone_ask(struct scoring *sc, const struct input_set *s)
{
	struct asked_alone *alone = &sc->alone;
	double began = clock_seconds(), judged, seconds;

	if (sc->task->language == LANGUAGE_CUDA)
		return NULL;
	judged = sc->judge->seconds;
	TRY(check_tell_failure(judge_hold_alone(sc->judge, s), s, sc->task));
	seconds = clock_seconds() - began;
	sc->seconds_starting += seconds - (sc->judge->seconds - judged);
	alone->seconds += seconds;
	alone->least = alone->least > 0 ? MIN(alone->least, seconds) : seconds;
	return NULL;
}

/* Before the first one it is known of runners: they import PyTorch. */
static bool takes_long(const struct scoring *sc)
{
	return sc->alone.least > 0 ? sc->alone.least > LONG_SECONDS
				   : sc->judge->reference != NULL;
}

struct error *alone_before_blame(struct scoring *sc, const struct input_set *s,
				 const struct judge_answer *a)
{
	const struct asked_alone *alone = &sc->alone;

	if (a->finding != FINDING_VALUE && a->finding != FINDING_NAN)
		return NULL;
	if (sc->task->language == LANGUAGE_CUDA)
		return NULL;
	if (takes_long(sc) && alone->blames &&
	    alone->seconds > SHARE * (clock_seconds() - alone->since))
		return NULL;
	sc->alone.blames++;
	return alone_ask(sc, s);
}

/* The sizes of a case that are not those that all were called with first. */
static size_t new_sizes(const struct check_cases *cases, const struct task *t,
			const struct check_case *c)
{
	size_t n = 0;

	for (size_t i = 0; i < t->symbols.n; i++)
		n += c->c->value[i] != cases->one[0].c->value[i];
	return n;
}

/* Is `a` to be asked rather than `b`? Where the reference is quick, then the one of which
 * most is new. */
static bool is_better(const struct check_cases *cases, const struct task *t,
		      const struct check_case *a, const struct check_case *b)
{
	bool quick = a->whole <= BUDGET;

	if (quick != (b->whole <= BUDGET))
		return quick;
	return quick ? new_sizes(cases, t, a) > new_sizes(cases, t, b)
		     : a->whole < b->whole;
}

/* One that was launched, and not the first one. */
static const struct check_case *draw(struct scoring *sc,
				     const struct check_cases *cases)
{
	const struct check_case *one = NULL;
	const struct task *t = sc->task;
	uint64_t n = 0;

	for (size_t i = 1; i < cases->n; i++) {
		const struct check_case *c = &cases->one[i];

		if (!c->launched || (one && is_better(cases, t, one, c)))
			continue;
		if (!one || is_better(cases, t, c, one))
			n = 0;
		if (secret_below(&sc->secret, ++n) == 0)
			one = c;
	}
	return one;
}

static bool is_due(const struct scoring *sc)
{
	const struct asked_alone *alone = &sc->alone;

	if (!takes_long(sc))
		return true;
	return !alone->once && !(alone->mark && access(alone->mark, F_OK) == 0);
}

/* A mark that is missing costs time and nothing else. */
static void make_mark(const struct asked_alone *alone)
{
	if (alone->mark)
		error_free(file_write_private(alone->mark, "", 0));
}

struct error *alone_once(struct scoring *sc, const struct check_cases *cases)
{
	cleanup_input_set struct input_set set = INPUT_SET_INIT;
	struct reference_cost cost = {0};
	const struct check_case *tried;

	if (sc->task->language == LANGUAGE_CUDA || !is_due(sc))
		return NULL;
	tried = draw(sc, cases);
	if (!tried)
		return NULL;
	TRY(set_init(&set, sc->task, tried->c, tried->mixed, 1, &sc->secret,
		     &sc->layout));
	check_case_use_ends(&set, sc->task, tried);
	TRY(judge_fill(sc->judge, &set));
	TRY(check_reference_first(sc, &set, &cost, BUDGET));
	TRY(alone_ask(sc, &set));
	sc->alone.once = true;
	if (takes_long(sc))
		make_mark(&sc->alone);
	return NULL;
}
