/* Measurements as words and figures, for the agent that decides what to try. */
#include <inttypes.h>
#include <math.h>

#include "agent/tools/figures.h"
#include "core/base/demangle.h"
#include "core/run/outcome.h"
#include "core/score/columns.h"

#define LOG_MAX 6000

void attempt_speed(char *out, size_t size, const struct attempt *a)
{
	if (isfinite(a->gain))
		snprintf(out, size, "%.3fx", attempt_speedup(a));
	else
		snprintf(out, size, "-");
}

static const char *decision_words(const struct measurement *m,
				  const struct comparison *c)
{
	if (c->decision == DECISION_SLOWER)
		return "slower";
	if (measurement_is_open_loss(m, c))
		return "slower, but the machine was not steady";
	if (c->decision != DECISION_FASTER)
		return "no difference could be told";
	return c->confirmed ? "faster, and again in fresh processes"
			    : "faster, but not confirmed in fresh processes";
}

static void add_rival(struct buf *out, const struct population *p,
		      const struct comparison *c)
{
	const struct attempt *rival = population_find(p, c->name);

	if (rival && rival->number == 0)
		buf_adds(out, "the start");
	else if (rival)
		buf_addf(out, "#%" PRId64 " (%s)", rival->number,
			 rival_name(c->rival));
	else
		buf_adds(out, c->name);
}

static void add_comparison(struct buf *out, const struct population *p,
			   const struct measurement *m,
			   const struct comparison *c)
{
	buf_addf(out, "  %.4fx the speed of ", c->ratio);
	add_rival(out, p, c);
	buf_addf(out, ", 95%% between %.4f and %.4f (%zu blocks): %s\n",
		 c->ratio95.lo, c->ratio95.hi, c->blocks, decision_words(m, c));
}

/* Only the start was measured against the baselines; the chain of ratios from
 * the start gives an estimate for this attempt. */
static void add_baselines(struct buf *out, const struct population *p,
			  const struct attempt *a)
{
	const struct measurement *start = p->attempt[0].measurement;

	for (size_t i = 0; start && i < start->n_comparisons; i++) {
		const struct comparison *c = &start->comparisons[i];

		if (c->rival != RIVAL_BASELINE || !isfinite(a->gain) ||
		    measurement_against(a->measurement, RIVAL_BASELINE,
					c->name))
			continue;
		buf_addf(out,
			 "  about %.4fx the speed of the baseline %s (by way "
			 "of the start)\n",
			 c->ratio * attempt_speedup(a), c->name);
	}
}

static void add_case(struct buf *out, const struct population *p,
		     const struct measurement *m, size_t i)
{
	buf_addf(out, "  %s: ", m->cases[i].name);
	columns_add_phrases(out, m, RECORD_CASE, i);
	for (size_t j = 0; j < m->n_comparisons; j++) {
		const struct comparison *r = &m->comparisons[j];

		if (i >= r->n_cases)
			continue;
		buf_addf(out, ", %.4fx ", r->case_ratio[i]);
		add_rival(out, p, r);
	}
	buf_addc(out, '\n');
}

static void add_resources(struct buf *out, const struct measurement *m)
{
	for (size_t i = 0; i < m->resources.n; i++) {
		const struct kernel_resources *k = &m->resources.kernel[i];
		cleanup_free char *name = demangle(k->name);

		buf_addf(out, "  kernel %.100s: ", name);
		columns_add_phrases(out, m, RECORD_KERNEL, i);
		buf_addc(out, '\n');
		for (size_t j = 0; j < k->warnings.n; j++)
			buf_addf(out, "    %.300s\n", k->warnings.v[j]);
	}
}

/* Shows the head of the log, because the first error matters most. */
static void add_failure(struct buf *out, const struct measurement *m)
{
	if (m->why)
		buf_addf(out, "why: %s\n", m->why);
	if (!m->log)
		return;
	buf_addf(out, "%s%.*s\n", m->verdict == VERDICT_WRONG ? "" : "log:\n",
		 LOG_MAX, m->log);
	if (strlen(m->log) > LOG_MAX)
		buf_addf(out, "... %zu more bytes of it\n",
			 strlen(m->log) - LOG_MAX);
}

static void add_pass(struct buf *out, const struct population *p,
		     const struct attempt *a)
{
	const struct measurement *m = a->measurement;
	char rate[RATE_TEXT], speed[32], noise[32];

	measurement_format(rate, sizeof rate, m, m->score);
	measurement_format_percent(noise, sizeof noise, m->noise);
	attempt_speed(speed, sizeof speed, a);
	buf_addf(out, "score: %s", rate);
	if (m->noise > 0)
		buf_addf(out, ", noise %s", noise);
	buf_addf(out, "; %s the speed of the start\n", speed);
	if (measurement_get(m, DOUBT_KEY))
		buf_addf(out, "  the rate says little: %s\n",
			 measurement_get(m, DOUBT_KEY));
	for (size_t i = 0; i < m->n_comparisons; i++)
		add_comparison(out, p, m, &m->comparisons[i]);
	add_baselines(out, p, a);
}

void figures_add(struct buf *out, const struct population *p,
		 const struct attempt *a, struct archive *archive)
{
	cleanup_measurement struct measurement *whole = NULL;
	const struct measurement *m = a->measurement;

	buf_addf(out, "attempt #%" PRId64 " (%.12s): %s (", a->number,
		 a->id.hex, attempt_outcome_name(p, a));
	attempt_outcome_explain(out, p, a);
	buf_adds(out, ")\n");
	if (!m)
		return;
	if (m->brief && archive && archive->recall)
		error_free(archive->recall(archive, &whole, a));
	if (whole)
		m = whole;
	if (m->verdict == VERDICT_PASS)
		add_pass(out, p, a);
	else
		add_failure(out, m);
	if (m->n_cases)
		buf_adds(out, "cases:\n");
	for (size_t i = 0; i < m->n_cases; i++)
		add_case(out, p, m, i);
	add_resources(out, m);
}

static void set_rival(struct json *j, const struct comparison *c)
{
	const char *told = c->decision == DECISION_FASTER   ? "faster"
			   : c->decision == DECISION_SLOWER ? "slower"
							    : "undecided";

	json_set_double(j, "speed_over_rival", c->ratio);
	json_set_double(j, "rival_low", c->ratio95.lo);
	json_set_double(j, "rival_high", c->ratio95.hi);
	json_set_string(j, "told", told);
}

static void set_measured(struct json *j, const struct attempt *a)
{
	const struct measurement *m = a->measurement;
	const struct comparison *c = measurement_decisive(m);
	char rate[RATE_TEXT];

	json_set_bool(j, "passed", m->verdict == VERDICT_PASS);
	if (m->verdict == VERDICT_PASS) {
		measurement_format(rate, sizeof rate, m, m->score);
		json_set_double(j, "score", m->score);
		json_set_string(j, "score_text", rate);
		json_set_string(j, "class", trust_class_name(m->trust));
	}
	if (isfinite(a->gain))
		json_set_double(j, "speed_over_start", attempt_speedup(a));
	if (c)
		set_rival(j, c);
	json_set_string(j, "why", m->why);
}

const struct tool_member figures_members[] = {
	{"status", "string",
	 "measured; or pending: call result with the handle", true},
	{"report", "string", "all of it, in words", true},
	{"handle", "string", "of a call that is pending", false},
	{"attempt", "integer", "its number", false},
	{"commit", "string", "its commit", false},
	{"outcome", "string", "champion, kept, not better, or how it failed",
	 false},
	{"kept", "boolean", "the next attempt is compared with it", false},
	{"passed", "boolean", "every case was right", false},
	{"score", "number", "a rate, in whole units (flop/s, B/s)", false},
	{"score_text", "string", "the same for people", false},
	{"class", "string", "isolated, replayed or reported", false},
	{"speed_over_start", "number", "of the run, times", false},
	{"speed_over_rival", "number", "what it had to beat, times", false},
	{"rival_low", "number", "its 95 % interval, from", false},
	{"rival_high", "number", "its 95 % interval, to", false},
	{"told", "string", "faster, slower or undecided", false},
	{"why", "string", "why it failed", false},
	{0},
};

struct json *figures_json(const struct population *p, const struct attempt *a)
{
	struct json *j = json_object();

	json_set_string(j, "status", "measured");
	json_set_int(j, "attempt", a->number);
	json_set_string(j, "commit", a->id.hex);
	json_set_string(j, "outcome", attempt_outcome_name(p, a));
	json_set_bool(j, "kept", a->accepted);
	if (a->measurement)
		set_measured(j, a);
	return j;
}
