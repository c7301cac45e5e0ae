#include "core/run/supervisor.h"

#include "core/run/branching.h"
#include "core/run/islands.h"
#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/run/review.h"
#include "core/run/trajectory.h"
#include "core/base/text.h"

/* So many in a row are not a coincidence. */
#define SAME_ERRORS 3
#define REPEATS	    3
#define FAILURES    8
/* Time without a gain counts only after some attempts, not after one long
 * one. */
#define PATIENT_ATTEMPTS 3

/* What it said once of a search that only goes on it says again after so many
 * stalls: it takes no direction, and has its own way out of a poor region. */
#define SEARCH_STALLS 4

#define MAX_REASON    1000
#define MAX_REVIEW    5400
#define MAX_DIRECTION 6000
#define MAX_ERROR     160

static const char *const triggers[] = {
#define X(id, name) [id] = name,
	TRIGGERS(X)
#undef X
};

static const char *trigger_name(enum trigger t)
{
	return triggers[t];
}

/* ---- when ---------------------------------------------------------------- */

static enum trigger find_trigger(const struct supervisor *s,
				 const struct trajectory *t)
{
	const struct supervisor_rules *rules = &s->rules;
	size_t again = s->searches && t->intervened ? SEARCH_STALLS : 1;
	bool has_its_chance = t->intervened &&
			      t->attempts < (rules->stall + 1) / 2;

	if (!rules->stall || has_its_chance)
		return TRIGGER_NONE;
	if (t->same_error >= SAME_ERRORS)
		return TRIGGER_SAME_ERROR;
	if (t->period || t->repeats >= REPEATS)
		return TRIGGER_CYCLE;
	if (t->failures >= FAILURES)
		return TRIGGER_FAILURES;
	if (t->attempts / again >= rules->stall)
		return TRIGGER_STALL;
	if (rules->patience > 0 && t->seconds >= rules->patience &&
	    t->attempts >= PATIENT_ATTEMPTS)
		return TRIGGER_PATIENCE;
	return TRIGGER_NONE;
}

/* ---- why, in a line ------------------------------------------------------ */

static const struct measurement *newest_failure(const struct population *p)
{
	for (size_t i = p->n; i-- > 0;) {
		const struct measurement *m = p->attempt[i].measurement;

		if (m && m->verdict != VERDICT_PASS)
			return m;
	}
	return NULL;
}

static void add_error(struct buf *out, const struct population *p)
{
	const struct measurement *m = newest_failure(p);

	if (!m)
		return;
	buf_addf(out, ": %s", verdict_name(m->verdict));
	if (!m->why)
		return;
	buf_adds(out, ", ");
	review_line(out, m->why, MAX_ERROR);
}

static void add_trigger(struct buf *out, enum trigger trigger,
			const struct trajectory *t, const struct population *p)
{
	buf_addf(out, "%s: ", trigger_name(trigger));
	if (trigger == TRIGGER_SAME_ERROR) {
		buf_addf(out, "%zu times in a row the same error",
			 t->same_error);
		add_error(out, p);
	} else if (trigger == TRIGGER_CYCLE && t->period) {
		buf_addf(out,
			 "the last %zu attempts went in a circle of %zu that "
			 "come out the same",
			 2 * t->period, t->period);
	} else if (trigger == TRIGGER_CYCLE) {
		buf_addf(out,
			 "the last %zu attempts were kernels that had been "
			 "measured before",
			 t->repeats);
	} else if (trigger == TRIGGER_FAILURES) {
		buf_addf(out, "%zu attempts in a row failed", t->failures);
	} else {
		return;
	}
	buf_adds(out, "; ");
}

static char *trouble(const struct intervention *i, const struct trajectory *t,
		     const struct population *p)
{
	cleanup_buf struct buf out = BUF_INIT(MAX_REASON);
	cleanup_free char *span = clock_format_span(i->seconds);

	add_trigger(&out, i->trigger, t, p);
	buf_addf(&out, "%zu attempt%s and %s of work without a gain",
		 i->attempts, i->attempts == 1 ? "" : "s", span);
	return buf_take(&out);
}

/* Names what decided; no name if there is no advisor. */
static char *reason(const char *trouble, const struct intervention *i,
		    const struct advisor *advisor, const struct population *p,
		    const struct error *no_advice)
{
	cleanup_buf struct buf out = BUF_INIT(MAX_REASON);

	buf_adds(&out, trouble);
	buf_adds(&out, "; begin again from ");
	review_name(&out, &p->attempt[i->parent]);
	if (no_advice) {
		buf_addf(&out,
			 ", by rule, since %s gave no advice: ", advisor->name);
		review_line(&out, error_message(no_advice), MAX_ERROR);
	} else if (advisor) {
		buf_addf(&out, ", as %s advised", advisor->name);
	}
	return buf_take(&out);
}

/* ---- where to, and what to do there --------------------------------------- */

static const char *what_to_do(enum trigger trigger, const struct supervisor *s)
{
	if (s->searches)
		return "The search goes on by itself. It varies what the "
		       "sources declare and writes no code: other tunables or "
		       "more values there, or a model (`avogit evolve "
		       "--operator llm`), give it more to find.";
	switch (trigger) {
	case TRIGGER_SAME_ERROR:
		return "Leave the change that brings this error alone, or "
		       "make the smallest step of it that works.";
	case TRIGGER_CYCLE:
		return "Make a change that no attempt had yet, and look at "
		       "what was scored before scoring.";
	case TRIGGER_FAILURES:
		return "Make one small change that is surely right, and score "
		       "it before the next.";
	case TRIGGER_NONE:
	case TRIGGER_STALL:
	case TRIGGER_PATIENCE:
	case TRIGGER_ASKED:
		break;
	}
	return s->can_profile
		       ? "Do not refine what was tried lately: profile, "
			 "find what limits this kernel, and take a move of "
			 "another kind."
		       : "Do not refine what was tried lately: find what "
			 "limits this kernel, and take a move of another "
			 "kind.";
}

/* Text is cut between characters, not inside one. */
static char *bounded(const char *head, const char *text)
{
	cleanup_buf struct buf out = BUF_INIT(MAX_DIRECTION);

	text_add_lines(&out, head, strlen(head));
	text_add_lines(&out, text, strlen(text));
	buf_trim_end(&out);
	return buf_take(&out);
}

static bool says_something(const char *text)
{
	return text && text[strspn(text, " \t\r\n")];
}

static struct error *check(const struct advice *a, const struct situation *now)
{
	bool is_dead_end;

	if (!says_something(a->direction))
		return error_new(ERROR_NOT_FOUND, "it has no idea");
	if (!branching_allowed(now->population, a->parent))
		return error_new(ERROR_NOT_FOUND,
				 "it names no accepted attempt to begin at");
	TRY(dead_end_ask(&is_dead_end, now->dead_ends, now->population,
			 a->parent));
	if (is_dead_end)
		return error_new(ERROR_NOT_FOUND,
				 "it names an attempt that the operator can "
				 "make nothing of");
	return NULL;
}

/* Sets parent and direction; leaves both unset if there is no advice. */
static struct error *ask(struct intervention *i, struct advisor *advisor,
			 const struct question *q)
{
	struct advice advice = {.parent = q->parent};
	struct error *err = advisor->advise(advisor, &advice, q);

	if (!err)
		err = check(&advice, q->now);
	if (!err) {
		i->direction = bounded("", advice.direction);
		i->parent = advice.parent;
	}
	i->spend = advice.spend;
	free(advice.direction);
	return err;
}

static struct error *decide(struct intervention *i, const struct supervisor *s,
			    const struct situation *now,
			    const struct trajectory *t)
{
	const struct population *p = now->population;
	cleanup_buf struct buf review = BUF_INIT(MAX_REVIEW);
	cleanup_free char *why = trouble(i, t, p);
	cleanup_error struct error *err = NULL;
	struct question q = {.now = now, .trouble = why, .parent = i->parent};

	review_write(&review, p, t->attempts);
	q.review = review.data;
	if (s->advisor)
		err = ask(i, s->advisor, &q);
	if (error_is(err, ERROR_INTERRUPTED))
		return steal(&err);
	if (!i->direction)
		i->direction = bounded(review.data, what_to_do(i->trigger, s));
	i->reason = reason(why, i, s->advisor, p, err);
	return NULL;
}

struct error *supervisor_review(struct intervention *out,
				const struct supervisor *s,
				const struct situation *now, struct random *r)
{
	cleanup_intervention struct intervention i = {0};
	struct trajectory t;

	trajectory_read(&t, now->population, now->spent_seconds);
	i.trigger = find_trigger(s, &t);
	if (i.trigger != TRIGGER_NONE)
		TRY(branching_choose(&i.parent, now->population, now->dead_ends,
				     r));
	if (i.parent == BRANCHING_NONE) {
		i.trigger = TRIGGER_NONE;
	} else if (i.trigger != TRIGGER_NONE) {
		i.attempts = t.gainless;
		i.seconds = t.gainless_seconds;
		TRY(decide(&i, s, now, &t));
	}
	*out = i;
	i = (struct intervention){0};
	return NULL;
}

void intervention_entry(struct entry *out, const struct intervention *i,
			const struct population *p)
{
	int64_t newest = 0;

	for (size_t j = 0; j < p->n_lineages; j++)
		newest = MAX(newest, p->lineage[j].number);
	entry_init(out, ENTRY_INTERVENTION, p->record.run);
	out->candidate = p->attempt[i->parent].id;
	out->new_lineage = newest + 1;
	out->trigger = xstrdup(trigger_name(i->trigger));
	out->reason = xstrdup_null(i->reason);
	out->direction = xstrdup_null(i->direction);
	out->stalled_attempts = (int64_t)i->attempts;
	out->stalled_seconds = i->seconds;
	out->role_spend = i->spend;
}

void intervention_release(struct intervention *i)
{
	free(i->reason);
	free(i->direction);
	*i = (struct intervention){0};
}

bool supervisor_said(const char *trigger)
{
	return !islands_said(trigger) && !branching_was_asked(trigger);
}
