#include "core/run/review.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "core/run/outcome.h"
#include "core/run/trajectory.h"
#include "core/base/text.h"
#include "core/run/words.h"

/* Attempts that are reviewed, the newest; groups and errors that are named. */
#define MAX_ATTEMPTS 512
#define MAX_GROUPS   8
#define MAX_ERRORS   3
#define MAX_SUBJECT  72
#define MAX_WHY	     160

struct run_review {
	const struct population *p;
	size_t at[MAX_ATTEMPTS]; /* indices of attempts, oldest first */
	size_t group[MAX_ATTEMPTS];
	double gain[MAX_ATTEMPTS]; /* of its own idea: log of a speed-up */
	size_t n;
	size_t lately; /* of them the newest */
	struct words subjects, hypotheses;
	const char *name[MAX_GROUPS];
	size_t n_groups;
};

static void run_review_release(struct run_review *r)
{
	words_release(&r->subjects);
	words_release(&r->hypotheses);
}
DEFINE_RELEASE(run_review, struct run_review, run_review_release)

/* ---- words --------------------------------------------------------------- */

void review_line(struct buf *out, const char *text, size_t max)
{
	size_t len = text_cut(text, max);

	text_add_line(out, text, len);
	if (text[len])
		buf_adds(out, "...");
}

void review_name(struct buf *out, const struct attempt *a)
{
	buf_addf(out, "attempt %" PRId64 " (", a->number);
	if (a->subject) {
		buf_adds(out, "\"");
		review_line(out, a->subject, MAX_SUBJECT);
		buf_adds(out, "\"");
	}
	if (a->number && isfinite(a->gain))
		buf_addf(out, "%s%.2fx the start", a->subject ? ", " : "",
			 attempt_speedup(a));
	buf_adds(out, ")");
}

/* ---- what is reviewed ---------------------------------------------------- */

static const struct attempt *nth(const struct run_review *r, size_t i)
{
	return &r->p->attempt[r->at[i]];
}

static bool failed(const struct attempt *a)
{
	return a->measurement->verdict != VERDICT_PASS;
}

/* What the attempt's own idea gave: log of its speed over its parent's. */
static double own_gain(const struct population *p, const struct attempt *a)
{
	const struct attempt *parent = population_find(p, a->parent.hex);

	return parent ? a->gain - parent->gain : (double)NAN;
}

static void gather(struct run_review *r)
{
	size_t first = r->p->n;

	for (size_t i = r->p->n; i-- > 1 && r->n < MAX_ATTEMPTS;)
		if (r->p->attempt[i].measurement) {
			r->n++;
			first = i;
		}
	r->n = 0;
	for (size_t i = first; i < r->p->n; i++)
		if (r->p->attempt[i].measurement) {
			r->group[r->n] = WORDS_NO_GROUP;
			r->gain[r->n] = own_gain(r->p, &r->p->attempt[i]);
			r->at[r->n++] = i;
		}
}

/* By the words of the subjects; what they do not tell, by the hypotheses'. */
static void group(struct run_review *r)
{
	for (size_t i = 0; i < r->n; i++) {
		words_add(&r->subjects, i, nth(r, i)->subject);
		words_add(&r->hypotheses, i, nth(r, i)->hypothesis);
	}
	r->n_groups =
		words_group(&r->subjects, r->group, 0, r->name, MAX_GROUPS);
	r->n_groups += words_group(&r->hypotheses, r->group, r->n_groups,
				   r->name + r->n_groups,
				   MAX_GROUPS - r->n_groups);
}

/* ---- what was tried ------------------------------------------------------ */

struct idea_outcome {
	size_t attempts, failures, lately;
	const struct attempt *best, *worst; /* NULL: none has a figure */
	double best_gain, worst_gain;
};

static struct idea_outcome outcome_of(const struct run_review *r, size_t group)
{
	struct idea_outcome o = {0};

	for (size_t i = 0; i < r->n; i++) {
		const struct attempt *a = nth(r, i);
		double gain = r->gain[i];

		if (r->group[i] != group)
			continue;
		o.attempts++;
		o.failures += failed(a);
		o.lately += i + r->lately >= r->n;
		if (!isfinite(gain))
			continue;
		if (!o.best || gain > o.best_gain) {
			o.best = a;
			o.best_gain = gain;
		}
		if (!o.worst || gain < o.worst_gain) {
			o.worst = a;
			o.worst_gain = gain;
		}
	}
	return o;
}

static void add_move(struct buf *out, const struct population *p,
		     const char *label, const struct attempt *a, double gain)
{
	buf_addf(out, "%s %+.1f %% (#%" PRId64, label, 100 * expm1(gain),
		 a->number);
	if (a->subject) {
		buf_adds(out, " \"");
		review_line(out, a->subject, MAX_SUBJECT);
		buf_adds(out, "\"");
	}
	if (gain > 0 && !a->accepted)
		buf_addf(out, ", %s", attempt_outcome_name(p, a));
	buf_adds(out, ")");
}

static void add_outcome(struct buf *out, const struct run_review *r,
			const char *name, const struct idea_outcome *o)
{
	buf_addf(out, "- %s, %zu attempt%s", name, o->attempts,
		 o->attempts == 1 ? "" : "s");
	if (o->best)
		add_move(out, r->p, ": best", o->best, o->best_gain);
	if (o->worst && o->worst != o->best)
		add_move(out, r->p, ", worst", o->worst, o->worst_gain);
	if (o->failures)
		buf_addf(out, "%s %zu failed", o->best ? ";" : ":",
			 o->failures);
	buf_adds(out, "\n");
}

static void add_tried(struct buf *out, const struct run_review *r)
{
	struct idea_outcome rest = outcome_of(r, WORDS_NO_GROUP);

	buf_adds(out, "Tried so far, by what it was called, with the change "
		      "to the speed of what it was tried on:\n");
	for (size_t g = 0; g < r->n_groups; g++) {
		struct idea_outcome o = outcome_of(r, g);

		add_outcome(out, r, r->name[g], &o);
	}
	if (rest.attempts)
		add_outcome(out, r, r->n_groups ? "all else" : "in all", &rest);
}

/* ---- what failed --------------------------------------------------------- */

struct failure {
	char *error;
	const struct attempt *last;
	size_t n;
};

struct failures {
	struct failure *failure;
	size_t n, cap, total;
};

static void failures_release(struct failures *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->failure[i].error);
	free(f->failure);
}
DEFINE_RELEASE(failures, struct failures, failures_release)

static void add_failure(struct failures *f, const struct attempt *a)
{
	cleanup_free char *error = trajectory_error(a->measurement);
	size_t i = 0;

	f->total++;
	while (i < f->n && !str_eq(f->failure[i].error, error))
		i++;
	if (i == f->n) {
		GROW(f->failure, f->n, f->cap);
		f->failure[f->n++] = (struct failure){.error = steal(&error)};
	}
	f->failure[i].last = a;
	f->failure[i].n++;
}

static int most_first(const void *a, const void *b)
{
	const struct failure *x = a, *y = b;
	int order = (x->n < y->n) - (x->n > y->n);

	return order ? order : strcmp(x->error, y->error);
}

static void add_failed(struct buf *out, const struct run_review *r)
{
	CLEANUP(failures) struct failures f = {0};

	for (size_t i = 0; i < r->n; i++)
		if (failed(nth(r, i)))
			add_failure(&f, nth(r, i));
	if (!f.total)
		return;
	qsort(f.failure, f.n, sizeof *f.failure, most_first);
	buf_addf(out, "Failed: %zu of %zu. Most often:\n", f.total, r->n);
	for (size_t i = 0; i < MIN(f.n, (size_t)MAX_ERRORS); i++) {
		const struct measurement *m = f.failure[i].last->measurement;

		buf_addf(out, "- %zux %s: ", f.failure[i].n,
			 verdict_name(m->verdict));
		review_line(out, m->why ? m->why : verdict_line(m->verdict),
			    MAX_WHY);
		buf_addf(out, " (last #%" PRId64 ")\n",
			 f.failure[i].last->number);
	}
}

/* ---- what was not, lately ------------------------------------------------ */

static void add_left_alone(struct buf *out, const struct run_review *r)
{
	bool any = false;

	for (size_t g = 0; g < r->n_groups; g++) {
		struct idea_outcome o = outcome_of(r, g);

		if (o.lately || !o.best)
			continue;
		buf_addf(out, "%s%s (best %+.1f %%, #%" PRId64 ")",
			 any ? ", " : "Not tried lately: ", r->name[g],
			 100 * expm1(o.best_gain), o.best->number);
		any = true;
	}
	buf_adds(out, any ? ".\n" : "");
}

static void add_worn_out(struct buf *out, const struct run_review *r)
{
	bool any = false;

	for (size_t g = 0; g < r->n_groups; g++) {
		struct idea_outcome o = outcome_of(r, g);

		if (!o.lately)
			continue;
		buf_addf(out, "%s%s (%zu)",
			 any ? ", " : "Tried lately without a gain: ",
			 r->name[g], o.lately);
		any = true;
	}
	buf_adds(out, any ? ".\n" : "");
}

void review_write(struct buf *out, const struct population *p, size_t lately)
{
	CLEANUP(run_review) struct run_review r = {.p = p};

	gather(&r);
	if (!r.n)
		return;
	r.lately = MIN(lately, r.n);
	group(&r);
	add_tried(out, &r);
	add_failed(out, &r);
	add_worn_out(out, &r);
	add_left_alone(out, &r);
}
