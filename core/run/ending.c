/* Why a run stops, and what the journal records about it. */
#include "core/base/clock.h"
#include "core/run/loop.h"
#include "core/base/text.h"

/* After so many steps in a row without a result, of each agent, the run
 * stops. */
#define MAX_IDLE_STEPS 8
/* Bytes of a reason: it is read as one line. */
#define MAX_REASON 1000

/* ---- how a step of the operator ended ---------------------------------- */

void loop_end(struct loop *l, char *why)
{
	free(l->ended);
	l->ended = why;
}

static char *failure(const struct loop *l, const char *because)
{
	return xasprintf("the operator failed %u time%s%s%s", l->failed,
			 l->failed == 1 ? "" : "s", because ? ": " : "",
			 because ? because : "");
}

static char *no_attempt(const struct loop *l, const char *because)
{
	return because ? xasprintf("%u steps in a row made no attempt: %s",
				   l->idle, because)
		       : xstrdup("exhausted");
}

void loop_step_ended(struct loop *l, enum varied varied, size_t parent,
		     char *because)
{
	cleanup_free char *words = because;

	l->idle = varied == VARIED ? 0 : l->idle + (varied != VARIED_DEAD_END);
	l->failed = varied == VARIED ? 0
				     : l->failed + (varied == VARIED_FAILED);
	if (varied == VARIED_DEAD_END)
		dead_end_mark(&l->dead_ends, parent);
	if (varied == VARIED_EXHAUSTED) {
		loop_end(l, words ? steal(&words) : xstrdup("exhausted"));
	} else if (l->idle >= MAX_IDLE_STEPS * MAX(l->e->agents.n, 1)) {
		l->ended_badly = l->failed > 0;
		loop_end(l,
			 l->failed ? failure(l, words) : no_attempt(l, words));
	}
}

bool loop_goes_on(struct loop *l)
{
	if (!l->ended || l->ended_badly)
		return false;
	loop_end(l, NULL);
	l->idle = 0;
	return !loop_why_stop(l);
}

void loop_nothing_left(struct loop *l)
{
	loop_end(l, xstrdup(l->dead_ends.why ? l->dead_ends.why : "exhausted"));
}

void loop_release(struct loop *l)
{
	dead_end_release(&l->dead_ends);
	saved_step_release(&l->saved);
	strvec_release(&l->finals);
	free(l->ended);
}

/* ---- stopping ------------------------------------------------------------ */

bool loop_asked_to_stop(const struct loop *l)
{
	return l->e->stop_requested && *l->e->stop_requested;
}

bool loop_time_is_up(const struct loop *l)
{
	return clock_run_seconds() - l->began >= l->limit.all;
}

/* A case whose share is not known keeps the run going. */
static bool is_at_ceiling(const struct loop *l)
{
	const struct measurement *m =
		l->p->n ? l->p->attempt[l->p->champion].measurement : NULL;

	if (!(l->e->budget.ceiling > 0) || !m || !m->n_cases ||
	    m->verdict != VERDICT_PASS)
		return false;
	for (size_t i = 0; i < m->n_cases; i++)
		if (!(m->cases[i].ceiling >= l->e->budget.ceiling))
			return false;
	return true;
}

const char *loop_why_stop(const struct loop *l)
{
	const struct budget_limits *b = &l->e->budget;
	struct spend spend = l->p->spend;
	const char *reached;

	spend_add(&spend, &l->unrecorded);
	/* Who stops it then ends nothing that would have gone on. */
	if (loop_time_is_up(l))
		return "time";
	if (loop_asked_to_stop(l))
		return "interrupted";
	if (b->attempts && l->attempts >= b->attempts)
		return "attempts";
	if (clock_run_seconds() - l->began >= l->limit.attempts &&
	    loop_has_last_measurements(l))
		return "time";
	if (is_at_ceiling(l))
		return "ceiling";
	reached = spend_reached(&spend, b);
	return reached ? reached : l->ended;
}

/* The reason on one line, without control characters. */
static char *line_of(const char *reason)
{
	cleanup_buf struct buf clean = BUF_INIT(MAX_REASON);

	text_add_line(&clean, reason, strlen(reason));
	buf_trim_end(&clean);
	return buf_take(&clean);
}

/* Of a run that other processes still extend only this one's part ends. What it
 * has spent since its last entry has to be written. */
static bool goes_on_without(const struct loop *l)
{
	struct archive *a = l->e->archive;

	return a->leave && a->leave(a) && spend_is_zero(&l->unrecorded);
}

static struct error *record_stop(struct loop *l, const char *reason)
{
	cleanup_entry struct entry entry;

	entry_init(&entry, ENTRY_STOP, l->e->run);
	entry.reason = line_of(reason);
	entry.spent_seconds = loop_spent(l);
	if (goes_on_without(l)) {
		population_apply(l->p, &entry);
		return NULL;
	}
	return loop_record(l, &entry);
}

struct error *loop_stop(struct loop *l, const char *reason)
{
	TRY(record_stop(l, reason));
	loop_tell(l, EVOLVE_STOPPED, NULL, l->p->stop_reason);
	return NULL;
}

void loop_stop_on_error(struct loop *l, const struct error *err)
{
	cleanup_free char *reason = xasprintf("error: %s", error_message(err));

	if (l->begun)
		error_free(record_stop(l, reason));
}
