/* A gain over the rivals: decided, and believed only where nothing else than the
 * candidate can have made it. */
#include <math.h>

#include "core/base/clock.h"
#include "scorer/contest/gpu_contest.h"
#include "scorer/contest/series.h"
#include "scorer/scoring.h"
#include "scorer/tries.h"

/* Where kernels and the scorer share CPUs, the same code was seen to differ by
 * more than half (log ratio). */
#define CROWDED 0.7

/* A bias that every session of a pair can have alike (log ratio); *why is set
 * where there is one. */
static double lasting(char **why, const struct contest *contest)
{
	double bias = 0;

	if (contest->gpu)
		bias = gpu_contest_bias(why, contest->gpu);
	if (contest->sc->task->threads >= machine_cpus() && bias < CROWDED) {
		free(*why);
		bias = CROWDED;
		*why = xstrdup("the task may use every CPU and the scorer "
			       "needs one, so who ran where is part of the "
			       "figure");
	}
	return bias;
}

/* The largest bias (log ratio) that anything else than the code of the arms can
 * have made; *why as in steadiness_end. */
static double disturbance(char **why, const struct contest *contest)
{
	cleanup_free char *other_why = NULL;
	double bias = steadiness_end(why, &contest->steady);
	double other = lasting(&other_why, contest);

	if (other > bias) {
		free(*why);
		*why = steal(&other_why);
		bias = other;
	}
	return bias;
}

/* A loss that a disturbance can have made is none, as a gain is not: the note says
 * what it was. The task's own baselines are decided either way by one contest. */
static void judge_loss(struct measurement *m, struct comparison *out,
		       const struct contender *who, const struct contest *c)
{
	cleanup_free char *why = NULL;

	if (out->decision != DECISION_SLOWER || who->points.trusted ||
	    -log(who->state.ratio95.hi) > disturbance(&why, c))
		return;
	out->decision = DECISION_NONE;
	/* A gain over the first rival is not what was unsteady. */
	if (why && m->comparisons[0].decision != DECISION_FASTER)
		measurement_set(m, "unsteady", why);
}

/* What is fixed was taken off both, and is known only so well. It changes how far
 * a ratio is from 1, and never which of two is faster. */
static void widen(struct comparison *out, double error)
{
	out->ratio95.lo *= exp(-error);
	/* The figure must be one that is believed when it is read again. */
	out->ratio95.hi = MIN(out->ratio95.hi * exp(error), RATIO_MAX);
	if (out->decision == DECISION_FASTER)
		out->ratio95.lo = MAX(out->ratio95.lo, 1);
	if (out->decision == DECISION_SLOWER)
		out->ratio95.hi = MIN(out->ratio95.hi, 1);
}

/* More than half of a launch is fixed: what is said is the ratio of the whole
 * hand-overs, which is nearer to 1 than that of the kernels. */
static void tell_least(struct comparison *out, const struct contest *c,
		       size_t contender)
{
	struct interval *i = &out->ratio95;

	out->at_least = true;
	out->ratio = series_whole_ratio(c, contender, out->ratio);
	*i = (struct interval){series_whole_ratio(c, contender, i->lo),
			       series_whole_ratio(c, contender, i->hi)};
	out->worst_case = series_whole_ratio(c, contender, out->worst_case);
	for (size_t k = 0; k < out->n_cases; k++)
		out->case_ratio[k] =
			series_whole_ratio(c, contender, out->case_ratio[k]);
}

static void take_state(struct measurement *m, struct comparison *out,
		       const struct contest *c, size_t contender)
{
	const struct contender *who = &c->contender[contender];
	size_t n_cases = c->sc->task->n_cases;

	out->ratio = who->state.ratio;
	out->ratio95 = who->state.ratio95;
	out->decision = who->state.decision;
	judge_loss(m, out, who, c);
	out->blocks = who->n;
	free(out->case_ratio);
	out->case_ratio = xcalloc(n_cases, sizeof *out->case_ratio);
	out->n_cases = n_cases;
	out->worst_case = HUGE_VAL;
	for (size_t i = 0; i < n_cases; i++) {
		out->case_ratio[i] = contest_case_ratio(c, contender, i);
		out->worst_case = MIN(out->worst_case, out->case_ratio[i]);
	}
	if (c->gpu || !isfinite(out->ratio95.hi))
		return;
	widen(out, series_ratio_error(c, contender));
	if (series_too_short(c, contender))
		tell_least(out, c, contender);
}

void score_comparisons(struct measurement *m, const struct contenders *f,
		       const struct contest *c)
{
	for (size_t i = 1; i < c->n; i++) {
		size_t rivals = f->request->n_rivals;
		enum rival kind = i <= rivals ? f->request->rivals[i - 1].rival
					      : RIVAL_BASELINE;

		take_state(m,
			   measurement_add_comparison(m, kind,
						      c->contender[i].name),
			   c, i);
	}
}

/* A search asks thousands of times and wants the winners: less than this
 * gain (log) is not worth another block. */
#define WORTHLESS  0.002
#define MAX_BLOCKS 48
/* Processes of the same code were seen to differ by half a percent (log ratio):
 * six times that is not luck, and few candidates are nearer than that. */
#define PROCESS_LUCK 0.03
/* A confirmation's rounds with a twin: it may be shorter than a first contest
 * with one was, and has about as many of them so. */
#define CONFIRM_TWIN_EVERY 2

void score_hurry(struct comparison_design *d, const struct score_request *r)
{
	if (!r->winners_only)
		return;
	d->hopeless = WORTHLESS;
	if (!r->patient)
		d->max_blocks = MIN(d->max_blocks, MAX_BLOCKS);
	d->luck = PROCESS_LUCK;
}

bool score_twin_waits(const struct score_request *r)
{
	return r->winners_only && r->confirm && r->n_rivals > 0;
}

/* How often a confirmation is tried while the machine is not steady. */
#define CONFIRM_TRIES 3

/* Could what disturbed the machine have made the gain? Then it is said, and
 * nothing is confirmed. */
static bool believable(struct measurement *m, const struct comparison *c,
		       const struct contest *contest, double floor)
{
	cleanup_free char *why = NULL, *reason = NULL;
	double gain = log(c->ratio95.lo), other;
	double bias = disturbance(&why, contest);
	char percent[32];

	other = contest->gpu ? 0 : series_bias(&reason, contest);
	if (other > bias) {
		free(why);
		why = steal(&reason);
		bias = other;
	}
	if (gain <= bias) {
		measurement_set(m, "unsteady", why);
		return false;
	}
	if (gain > floor)
		return true;
	free(why);
	measurement_format_percent(percent, sizeof percent, expm1(floor));
	why = xasprintf("the same code in two processes differed by %s",
			percent);
	measurement_set(m, "unsteady", why);
	return false;
}

static bool is_isolated(const struct contenders *f)
{
	return f->scorer->scoring.isolated[0];
}

/* The two tellings are not of the same thing. */
static struct error *became_another_class(struct measurement *m)
{
	measurement_set(m, "unsteady",
			"what was replayed at first had to be called when the "
			"gain was to be confirmed");
	return NULL;
}

bool score_is_late(struct measurement *m, const struct score_request *r)
{
	if (!(r->until > 0) || clock_seconds() < r->until)
		return false;
	measurement_set(m, "unsteady",
			"the time was up before the gain was confirmed");
	return true;
}

/* What every session may have alike (log ratio). */
static double alike(const struct contest *contest)
{
	cleanup_free char *why = NULL, *other = NULL;
	double bias = lasting(&why, contest);

	return contest->gpu ? bias : MAX(bias, series_bias(&other, contest));
}

/* Another try? Not where this one found no gain, unless the machine may have hidden
 * it, and the sessions of a final found one in the mean. */
static bool goes_on(struct measurement *m, const struct contest *c,
		    const struct tries *t, bool patient)
{
	cleanup_free char *why = NULL;

	if (m->comparisons[0].decision == DECISION_FASTER)
		return true;
	steadiness_end(&why, &c->steady);
	if (!patient || !why || !(stats_mean(t->told.log_ratio, t->told.n) > 0))
		return false;
	measurement_set(m, "unsteady", why);
	return true;
}

/* *over: another one would change nothing. */
static struct error *try_once(struct score_outcome *o, struct measurement *m,
			      struct contenders *f, struct tries *t, bool *over)
{
	struct comparison *first = &m->comparisons[0];
	bool twin = score_twin_waits(f->request);
	bool isolated = is_isolated(f);
	cleanup_contest struct contest *c = contenders_contest(f, 1, 0);

	*over = true;
	score_hurry(&c->design, f->request);
	c->twinless = !twin;
	c->twin_every = CONFIRM_TWIN_EVERY;
	TRY(contest_run(o, c, contenders_seconds(f)));
	if (c->failed > 0)
		TRY(score_rival_failed(o, f, c));
	if (o->verdict != VERDICT_PASS || f->rival_failed)
		return NULL;
	if (c->failed > 0 || isolated != is_isolated(f))
		return became_another_class(m);
	take_state(m, first, c, 1);
	if (twin)
		m->noise = contest_noise(c);
	/* What one of the tries has seen holds for the next. */
	t->floor = MAX(t->floor, contest_floor(c));
	tries_add(t, first, alike(c));
	first->confirmed = first->decision == DECISION_FASTER &&
			   believable(m, first, c, t->floor);
	*over = first->confirmed || !goes_on(m, c, t, f->request->patient);
	return NULL;
}

struct error *score_confirm(struct score_outcome *o, struct measurement *m,
			    struct contenders *f, double floor)
{
	struct comparison *first = &m->comparisons[0];
	size_t most = f->request->patient ? SESSIONS_MOST : CONFIRM_TRIES;
	cleanup_tries struct tries t = {.floor = floor};

	for (size_t i = 0; i < most && !first->confirmed; i++) {
		bool over;

		if (score_is_late(m, f->request))
			break;
		scorer_reseed(f->scorer, 1 + i);
		TRY(try_once(o, m, f, &t, &over));
		/* Of many one may be believed by luck: then all decide. */
		if (over && (i < CONFIRM_TRIES || !first->confirmed))
			return NULL;
		first->confirmed = f->request->patient && tries_agree(&t);
	}
	if (f->request->patient && t.told.n > 1)
		tries_tell(m, &t);
	return NULL;
}
