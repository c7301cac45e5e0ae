/*
 * Scores that a task's own command reports (trust class reported): for what no
 * runner can run, a simulator or a whole application. Nothing here reads a
 * clock for a figure; the verdict and the figures are the command's word
 * (docs/trust.md). Only the statistics are avogit's.
 *
 * A comparison is made of blocks. In a block the command is run once for the
 * candidate and once for each rival, in an order that is drawn; every second
 * block has the order of the one before backwards, so that a drift cancels and
 * what is special to the first run of a block does, too. One block gives one
 * observation of each rival: the log of the ratio of the two figures. Looks,
 * decision and confirmation are those of a measured comparison
 * (core/score/stats.h).
 */
#include "scorer/scoring.h"

#include <math.h>

#include "core/base/clock.h"
#include "scorer/device/steadiness.h"
#include "scorer/reported/command.h"

/* The loop asks with an incumbent, a champion and the start at most. */
#define MAX_CONTENDERS 8
#define LEAST_BLOCKS   4
#define CONFIRM_TRIES  3
/* After a candidate failed beside a rival: runs of it alone. */
#define THOROUGH 8

/* The candidate or a rival, over all its runs. */
struct reported_contender {
	struct fileset files;
	struct samples value; /* of every run */
	struct strvec case_name;
	struct samples *case_value; /* one a case */
	/* Of a rival in this comparison; one observation a block. */
	struct samples log_ratio;
	struct samples *case_log; /* one a case */
	struct comparison_state state;
	bool active; /* still needed */
};

struct reported_contest {
	struct contenders *f;
	struct measurement *m;
	struct reported_command command;
	const struct reported_score *rules;
	struct reported_contender
		side[MAX_CONTENDERS]; /* [0] is the candidate */
	size_t n;		      /* that are compared now */
	size_t order[MAX_CONTENDERS];
	struct comparison_design design;
	struct steadiness steady;
	size_t blocks;
	uint64_t seed;
	bool failed; /* the measurement, or f->rival_failed, says how */
};

static void reported_contender_release(struct reported_contender *s)
{
	for (size_t i = 0; i < s->case_name.n; i++) {
		free(s->case_value[i].value);
		free(s->case_log[i].value);
	}
	free(s->case_value);
	free(s->case_log);
	free(s->value.value);
	free(s->log_ratio.value);
	strvec_release(&s->case_name);
	fileset_release(&s->files);
}

static void reported_contest_release(struct reported_contest *c)
{
	for (size_t i = 0; i < MAX_CONTENDERS; i++)
		reported_contender_release(&c->side[i]);
	steadiness_release(&c->steady);
}
DEFINE_RELEASE(reported_contest, struct reported_contest,
	       reported_contest_release)

/* ---- one run ------------------------------------------------------------- */

/* Of the contender `i`. */
static struct error *fail(struct reported_contest *c, size_t i, enum verdict v,
			  const char *why, char **log)
{
	c->failed = true;
	if (i > 0)
		return contenders_drop_rival(c->f, i - 1, v, why);
	measurement_fail(c->m, v, "%s", why);
	if (log && *log && **log) {
		free(c->m->log);
		c->m->log = steal(log);
	}
	return NULL;
}

/* A sentence on why a pass cannot be taken with those before; NULL if it can. */
static char *contradiction(const struct reported_contest *c,
			   const struct reported_contender *s,
			   const struct reported *r)
{
	if (!s->value.n)
		return NULL;
	if (!strvec_equal(&s->case_name, &r->name))
		return xstrdup("score.command named other cases than in an "
			       "earlier run of the same files");
	if (c->rules->exact && r->score != s->value.value[0])
		return xasprintf("the task says that scores are exact, and two "
				 "runs of the same files reported %.17g and "
				 "%.17g",
				 s->value.value[0], r->score);
	return NULL;
}

static void take(struct reported_contender *s, const struct reported *r)
{
	if (!s->value.n) {
		strvec_extend(&s->case_name, &r->name);
		s->case_value = xcalloc(r->name.n, sizeof *s->case_value);
		s->case_log = xcalloc(r->name.n, sizeof *s->case_log);
	}
	samples_add(&s->value, r->score);
	for (size_t k = 0; k < r->name.n; k++)
		samples_add(&s->case_value[k], r->value[k]);
}

static struct error *run_contender(struct reported_contest *c, size_t i)
{
	cleanup_reported struct reported r = {.name = STRVEC_INIT};
	cleanup_free char *log = NULL, *why = NULL;

	TRY(reported_run(&r, &log, &c->m->seconds_timed, &c->command,
			 &c->side[i].files));
	if (r.verdict != VERDICT_PASS)
		return fail(c, i, r.verdict, r.why, &log);
	why = contradiction(c, &c->side[i], &r);
	if (why)
		return fail(c, i, VERDICT_WRONG, why, NULL);
	take(&c->side[i], &r);
	return NULL;
}

/* ---- a comparison -------------------------------------------------------- */

/* The log of how many times better the candidate is. */
static double gain(const struct reported_contest *c, double candidate,
		   double rival)
{
	double more = log(candidate) - log(rival);

	return c->rules->lower_is_better ? -more : more;
}

static double last(const struct samples *s)
{
	return s->value[s->n - 1];
}

static void choose_order(struct reported_contest *c)
{
	size_t back[MAX_CONTENDERS];

	if (c->blocks % 2) {
		memcpy(back, c->order, sizeof back);
		for (size_t i = 0; i < c->n; i++)
			c->order[i] = back[c->n - 1 - i];
		return;
	}
	for (size_t i = 0; i < c->n; i++)
		c->order[i] = i;
	secret_shuffle(&c->f->scorer->scoring.secret, c->order, c->n);
}

/* Ratios of cases that have other names would be of nothing. */
static struct error *compare_names(struct reported_contest *c)
{
	for (size_t i = 1; i < c->n && !c->failed; i++)
		if (!strvec_equal(&c->side[0].case_name, &c->side[i].case_name))
			TRY(fail(c, 0, VERDICT_WRONG,
				 "score.command named other cases than for "
				 "what it is compared with",
				 NULL));
	return NULL;
}

static struct error *run_block(struct reported_contest *c)
{
	choose_order(c);
	for (size_t k = 0; k < c->n && !c->failed; k++)
		if (c->side[c->order[k]].active)
			TRY(run_contender(c, c->order[k]));
	if (!c->failed)
		TRY(compare_names(c));
	if (c->failed)
		return NULL;
	for (size_t i = 1; i < c->n; i++) {
		struct reported_contender *s = &c->side[i];

		if (!s->active)
			continue;
		samples_add(&s->log_ratio,
			    gain(c, last(&c->side[0].value), last(&s->value)));
		for (size_t k = 0; k < s->case_name.n; k++)
			samples_add(&s->case_log[k],
				    gain(c, last(&c->side[0].case_value[k]),
					 last(&s->case_value[k])));
	}
	steadiness_round(&c->steady, log(last(&c->side[0].value)));
	c->blocks++;
	return NULL;
}

/* Two runs gave the same figure: there is no noise to ask for. */
static void decide_exactly(struct reported_contender *s)
{
	double ratio = exp(s->log_ratio.value[0]);

	s->state = (struct comparison_state){
		.ratio = ratio,
		.ratio95 = {ratio, ratio},
		.decision = ratio > 1	? DECISION_FASTER
			    : ratio < 1 ? DECISION_SLOWER
					: DECISION_NONE,
		.done = true,
	};
}

/* `final`: no more blocks come. */
static bool all_decided(struct reported_contest *c, bool final)
{
	struct comparison_design design = c->design;
	bool all = true;

	if (final)
		design.max_blocks = c->blocks;
	for (size_t i = 1; i < c->n; i++) {
		struct reported_contender *s = &c->side[i];

		if (!s->active)
			continue;
		if (c->rules->exact && c->blocks == (size_t)c->rules->repeat)
			decide_exactly(s);
		else if (!c->rules->exact)
			s->state = comparison_look(&design, s->log_ratio.value,
						   s->log_ratio.n, c->seed);
		s->active = !s->state.done;
		all = all && s->state.done;
	}
	return all;
}

/* Of the candidate with the first n - 1 rivals. */
static struct error *compare(struct reported_contest *c, size_t n)
{
	double most = contenders_seconds(c->f);
	double start = clock_seconds();

	c->n = n;
	c->blocks = 0;
	c->seed = secret_u64(&c->f->scorer->scoring.secret);
	steadiness_begin(&c->steady);
	stage_begin(c->f->scorer->options.stage, STAGE_TIME);
	for (size_t i = 0; i < n; i++) {
		struct reported_contender *s = &c->side[i];

		s->active = true;
		s->log_ratio.n = 0;
		for (size_t k = 0; k < s->case_name.n; k++)
			s->case_log[k].n = 0;
	}
	do {
		TRY(run_block(c));
		if (c->failed)
			return NULL;
		stage_done(c->f->scorer->options.stage,
			   (double)c->blocks / (double)c->design.max_blocks);
		if (most > 0 && clock_seconds() - start > most &&
		    c->blocks >= c->design.min_blocks) {
			all_decided(c, true);
			break;
		}
	} while (!all_decided(c, false));
	return NULL;
}

/* ---- what is said of it -------------------------------------------------- */

/* A difference that a machine which was not steady may have made is none. */
static void believe(struct reported_contest *c, struct comparison *out)
{
	cleanup_free char *why = NULL;
	double bias = steadiness_end(&why, &c->steady);

	out->confirmed = false;
	if (out->decision == DECISION_SLOWER && -log(out->ratio95.hi) <= bias)
		out->decision = DECISION_NONE;
	if (why)
		measurement_set(c->m, "unsteady", why);
}

static void take_state(struct reported_contest *c, struct comparison *out,
		       size_t i)
{
	const struct reported_contender *s = &c->side[i];

	out->ratio = s->state.ratio;
	out->ratio95 = s->state.ratio95;
	out->decision = s->state.decision;
	out->blocks = s->log_ratio.n;
	free(out->case_ratio);
	out->n_cases = s->case_name.n;
	out->case_ratio = xcalloc(out->n_cases, sizeof *out->case_ratio);
	out->worst_case = out->n_cases ? HUGE_VAL : out->ratio;
	for (size_t k = 0; k < out->n_cases; k++) {
		const struct samples *logs = &s->case_log[k];

		out->case_ratio[k] = exp(stats_median(logs->value, logs->n));
		out->worst_case = MIN(out->worst_case, out->case_ratio[k]);
	}
	if (!c->rules->exact)
		believe(c, out);
}

/* Found again in blocks of their own. */
static struct error *confirm(struct reported_contest *c)
{
	struct comparison *first = &c->m->comparisons[0];

	if (c->rules->exact) {
		first->confirmed = true;
		return NULL;
	}
	for (int i = 0; i < CONFIRM_TRIES && !first->confirmed; i++) {
		cleanup_free char *why = NULL;

		if (score_is_late(c->m, c->f->request))
			return NULL;
		TRY(compare(c, 2));
		if (c->failed)
			return NULL;
		take_state(c, first, 1);
		if (first->decision != DECISION_FASTER)
			return NULL;
		first->confirmed = log(first->ratio95.lo) >
				   steadiness_end(&why, &c->steady);
	}
	return NULL;
}

static struct error *compare_all(struct reported_contest *c)
{
	const struct score_request *r = c->f->request;

	TRY(compare(c, 1 + r->n_rivals));
	if (c->failed)
		return NULL;
	for (size_t i = 1; i < c->n; i++)
		take_state(c,
			   measurement_add_comparison(
				   c->m, r->rivals[i - 1].rival,
				   r->rivals[i - 1].candidate->id.hex),
			   i);
	if (r->confirm && c->m->comparisons[0].decision == DECISION_FASTER)
		TRY(confirm(c));
	return NULL;
}

static struct error *run_alone(struct reported_contest *c)
{
	int64_t runs = c->rules->repeat;

	if (c->f->request->thorough && !c->rules->exact)
		runs = MAX(runs, THOROUGH);
	stage_begin(c->f->scorer->options.stage, STAGE_TIME);
	for (int64_t i = 0; i < runs && !c->failed; i++) {
		stage_done(c->f->scorer->options.stage,
			   (double)i / (double)runs);
		TRY(run_contender(c, 0));
	}
	return NULL;
}

static void report(struct reported_contest *c)
{
	const struct reported_contender *s = &c->side[0];
	cleanup_free char *runs = xasprintf("%zu", s->value.n);

	measurement_set(c->m, "runs", runs);
	c->m->score = stats_median(s->value.value, s->value.n);
	for (size_t k = 0; k < s->case_name.n; k++) {
		struct case_result *r =
			measurement_add_case(c->m, s->case_name.v[k]);

		r->rate = stats_median(s->case_value[k].value,
				       s->case_value[k].n);
		r->launches = s->case_value[k].n;
	}
}

/* ---- a scoring ----------------------------------------------------------- */

static struct error *prepare(struct reported_contest *c, size_t n)
{
	const struct score_request *r = c->f->request;
	const struct task *t = c->f->scorer->task;

	if (n > MAX_CONTENDERS)
		return error_new(ERROR_TASK, "%s: over %d rivals at once",
				 t->path, MAX_CONTENDERS - 1);
	for (size_t i = 0; i < n; i++) {
		const struct candidate *who = i ? r->rivals[i - 1].candidate
						: r->candidate;
		const struct build *b = i ? &c->f->rival[i - 1]
					  : &c->f->candidate;

		TRY(reported_files(&c->side[i].files, t, &who->files, b));
	}
	return NULL;
}

struct error *reported_score(struct measurement *m, struct contenders *f)
{
	const struct scorer *s = f->scorer;
	bool compares = s->task->score.ab && f->request->n_rivals > 0;
	CLEANUP(reported_contest)
	struct reported_contest c = {
		.f = f,
		.m = m,
		.command = {s->task, s->scoring.sandbox, s->options.stop_now},
		.rules = &s->task->score,
		.design = COMPARISON_DESIGN_DEFAULT,
	};

	c.design.min_blocks = LEAST_BLOCKS;
	c.design.max_blocks = (size_t)s->task->score.blocks;
	score_hurry(&c.design, f->request);
	/* A run of a whole application is expensive. */
	c.design.curtailed = f->request->winners_only;
	m->trust = TRUST_REPORTED;
	if (compares)
		TRY(contenders_build_rivals(f));
	if (f->rival_failed)
		return NULL;
	TRY(prepare(&c, compares ? 1 + f->request->n_rivals : 1));
	TRY(compares ? compare_all(&c) : run_alone(&c));
	if (!c.failed)
		report(&c);
	return NULL;
}
