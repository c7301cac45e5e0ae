/* A run as Markdown, for a pull request. */
#include "cmd/report/run_story.h"

#include <math.h>

#include "cmd/session/nearest.h"
#include "cmd/ui/markdown.h"
#include "cmd/ui/report.h"
#include "core/base/clock.h"
#include "core/run/outcome.h"

#define MAX_PATCH    20000
#define MAX_FAILURES 20
#define MAX_NEAREST  5

static size_t count_attempts(const struct run_story *s)
{
	size_t n = 0;

	for (size_t i = 1; i < s->p.n; i++)
		n += run_story_has(s, i);
	return n;
}

static void add_best(struct buf *out, const struct run_story *s)
{
	const struct attempt *best = run_story_best(s);
	char ratio[32], rate[RATE_TEXT] = "-";

	report_format_ratio(ratio, sizeof ratio, attempt_speedup(best));
	if (attempt_passes(best))
		measurement_format(rate, sizeof rate, best->measurement,
				   best->measurement->score);
	buf_addf(out,
		 "The best is #%lld (%.12s): %s the speed of the start, "
		 "%s%s.\n",
		 (long long)best->number, best->id.hex, ratio, rate,
		 best->measurement &&
				 measurement_get(best->measurement, DOUBT_KEY)
			 ? " (says little: see the caveats)"
			 : "");
}

static void add_maybe(struct buf *out, const struct run_story *s)
{
	cleanup_buf struct buf said = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *command = NULL;

	nearest_say_maybe(&said, &command, &s->p);
	if (!command)
		return;
	buf_addf(out, "Maybe faster: %s, but the machine was not steady. ",
		 said.data);
	markdown_add_code(out, command);
	buf_adds(out, " measures it again.\n");
}

static void add_headline(struct buf *out, const struct run_story *s)
{
	cleanup_free char *spent = clock_format_span(s->p.spent_seconds);
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	size_t n = count_attempts(s);

	buf_adds(out, "# Run ");
	markdown_add_code(out, s->run);
	buf_addf(out, "\n\n%zu attempt%s in %s. ", n, n == 1 ? "" : "s", spent);
	if (s->p.champion) {
		add_best(out, s);
		add_maybe(out, s);
		return;
	}
	nearest_say(&why, &s->p);
	buf_adds(out, "No champion: ");
	markdown_add_code(out, why.data);
	buf_adds(out, ". What follows are the figures of the start.\n");
}

static void add_comparisons(struct buf *out, const struct measurement *m)
{
	if (!m || !m->n_comparisons)
		return;
	buf_adds(out, "\n| against | ratio | 95 % interval | told |\n"
		      "| --- | --- | --- | --- |\n");
	for (size_t i = 0; i < m->n_comparisons; i++) {
		const struct comparison *c = &m->comparisons[i];

		buf_addf(out, "| %s ", rival_name(c->rival));
		markdown_add_code(out, c->name);
		buf_addf(out, " | %.3fx | %.3f to %.3f | %s |\n", c->ratio,
			 c->ratio95.lo, c->ratio95.hi, measurement_told(m, c));
	}
}

static void add_cases(struct buf *out, const struct measurement *m)
{
	if (!m || !m->n_cases)
		return;
	buf_adds(out, "\n| case | rate | error/limit |\n| --- | --- | --- |\n");
	for (size_t i = 0; i < m->n_cases; i++) {
		char rate[RATE_TEXT];

		measurement_format(rate, sizeof rate, m, m->cases[i].rate);
		buf_adds(out, "| ");
		markdown_add_code(out, m->cases[i].name);
		buf_adds(out, " | ");
		markdown_add_code(out, rate);
		buf_addf(out, " | %.3g |\n", m->cases[i].error);
	}
}

static void add_steps(struct buf *out, const struct run_story *s)
{
	if (!s->p.champion)
		return;
	buf_adds(out, "\n## The steps to it\n");
	for (size_t i = 1; i < s->n_steps; i++) {
		const struct attempt *a = &s->p.attempt[s->step[i]];
		char ratio[32];

		report_format_ratio(ratio, sizeof ratio, attempt_speedup(a));
		buf_addf(out, "\n%zu. #%lld, %s the start: ", i,
			 (long long)a->number, ratio);
		markdown_add_code(out, a->subject ? a->subject : "");
		buf_adds(out, "\n");
		if (a->hypothesis) {
			buf_adds(out, "\n   ");
			markdown_add_code(out, a->hypothesis);
			buf_adds(out, "\n");
		}
		markdown_add_block(out, s->patch.v[i], MAX_PATCH);
	}
}

/* Faster than the start, and never crowned. */
static bool is_near(const struct run_story *s, size_t at)
{
	const struct attempt *a = &s->p.attempt[at];

	return run_story_has(s, at) && a->number && !a->crowned &&
	       attempt_passes(a) && isfinite(a->gain) && a->gain > 0;
}

/* The fastest of them that is not as fast as the one before it; those that are
 * equally fast in the order of the run. NULL: no more. */
static const struct attempt *next_nearest(const struct run_story *s,
					  const struct attempt *before)
{
	const struct attempt *best = NULL;

	for (size_t i = 0; i < s->p.n; i++) {
		const struct attempt *a = &s->p.attempt[i];
		bool later = !before || a->gain < before->gain ||
			     (a->gain <= before->gain && a > before);

		if (is_near(s, i) && later && (!best || a->gain > best->gain))
			best = a;
	}
	return best;
}

static void add_nearest(struct buf *out, const struct run_story *s)
{
	const struct attempt *a = next_nearest(s, NULL);

	if (!a)
		return;
	buf_adds(out, "\n## Faster than the start, and not crowned\n\n"
		      "| attempt | speed | why not | what |\n"
		      "| --- | --- | --- | --- |\n");
	for (size_t n = 0; a && n < MAX_NEAREST; n++) {
		cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
		char ratio[32];

		report_format_ratio(ratio, sizeof ratio, attempt_speedup(a));
		if (attempt_doubt(a) != OUTCOME_COUNT)
			attempt_doubt_explain(&why, a);
		else
			attempt_outcome_explain(&why, &s->p, a);
		buf_addf(out, "| #%lld | %s | ", (long long)a->number, ratio);
		markdown_add_code(out, why.data);
		buf_adds(out, " | ");
		markdown_add_code(out, a->subject ? a->subject : "");
		buf_adds(out, " |\n");
		a = next_nearest(s, a);
	}
}

/* The command that comes next. */
static void add_next(struct buf *out, const struct run_story *s)
{
	cleanup_free char *again = nearest_command(&s->p), *other = NULL;

	other = xasprintf("avogit %s --run %s",
			  s->p.champion ? "pick" : "evolve", s->run);
	buf_adds(out, "\n## Next\n\n");
	markdown_add_code(out, again && !s->p.champion ? again : other);
	buf_adds(out, s->p.champion ? " puts the champion onto your branch.\n"
		      : again ? " measures the fastest again, which may crown "
				"it.\n"
			      : " goes on with it.\n");
}

static void add_failures(struct buf *out, const struct run_story *s)
{
	size_t failed = 0;

	buf_adds(out, "\n## What failed\n\n");
	for (size_t i = 0; i < s->p.n; i++) {
		const struct attempt *a = &s->p.attempt[i];

		if (attempt_outcome(&s->p, a) != OUTCOME_FAILED ||
		    failed++ >= MAX_FAILURES)
			continue;
		buf_addf(out, "- #%lld, %s: ", (long long)a->number,
			 attempt_outcome_name(&s->p, a));
		markdown_add_code(out, a->subject ? a->subject : "");
		if (a->measurement->why) {
			buf_adds(out, ": ");
			markdown_add_code(out, a->measurement->why);
		}
		buf_adds(out, "\n");
	}
	if (failed > MAX_FAILURES)
		buf_addf(out, "- and %zu more\n", failed - MAX_FAILURES);
	if (!failed)
		buf_adds(out, "Nothing.\n");
}

static void add_costs(struct buf *out, const struct run_story *s)
{
	cleanup_free char *spend = spend_format(&s->p.spend);
	const struct measurement *m = run_story_best(s)->measurement;

	buf_adds(out, "\n## Cost and environment\n\n- ");
	markdown_add_code(out, *spend ? spend : "no model was asked");
	for (size_t i = 0; m && i < m->n_environment; i++) {
		buf_adds(out, i ? ", " : "\n- ");
		markdown_add_code(out, m->environment[i].key);
		buf_adds(out, ": ");
		markdown_add_code(out, m->environment[i].value);
	}
	buf_adds(out, "\n\n## Caveats\n\n");
	for (size_t i = 0; i < s->caveats.n; i++) {
		buf_adds(out, "- ");
		markdown_add_code(out, s->caveats.v[i]);
		buf_adds(out, "\n");
	}
}

void run_story_markdown(struct buf *out, const struct run_story *s)
{
	const struct measurement *m = run_story_best(s)->measurement;

	add_headline(out, s);
	add_comparisons(out, m);
	add_cases(out, m);
	add_steps(out, s);
	add_nearest(out, s);
	add_failures(out, s);
	add_next(out, s);
	add_costs(out, s);
}
