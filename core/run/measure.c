/* Measures an attempt, accepts it or not, and may crown it. */
#include <math.h>

#include "core/base/clock.h"
#include "core/run/agents.h"
#include "core/run/kinds.h"
#include "core/run/loop.h"
#include "core/run/outcome.h"

static bool beats(const struct comparison *c)
{
	return c && c->decision == DECISION_FASTER;
}

static const struct comparison *against(const struct measurement *m,
					const struct attempt *rival)
{
	for (size_t i = 0; i < m->n_comparisons; i++)
		if (str_eq(m->comparisons[i].name, rival->id.hex))
			return &m->comparisons[i];
	return NULL;
}

/* A crown needs a confirmed win over the champion. If the task asks that no
 * case gets slower, a good mean does not hide a case that did; if it asks for
 * sanitizers, only a candidate that passed them is crowned. */
static bool deserves_crown(const struct loop *l, const struct attempt *a,
			   const struct measurement *m)
{
	const struct attempt *champion = &l->p->attempt[l->p->champion];
	const struct comparison *c = against(m, champion);

	if (m->verdict != VERDICT_PASS || a == champion || !beats(c))
		return false;
	if (l->e->task->sanitizers && !measurement_get(m, "sanitized"))
		return false;
	return c->confirmed &&
	       (!l->e->task->no_slower_case || c->worst_case >= 1);
}

/* An attempt is accepted if it beats the tip of its own lineage. If that tip is
 * the champion, it must win the crown, because otherwise noise would move the
 * tip away step by step. */
static bool deserves_acceptance(const struct loop *l, const struct attempt *a,
				const struct measurement *m)
{
	const struct lineage *lineage = population_lineage(l->p, a->lineage);

	if (a->number == 0)
		return true;
	if (m->verdict != VERDICT_PASS || !lineage)
		return false;
	/* The attempt that a person chose to go on from is always accepted. */
	if (str_eq(a->id.hex, l->p->record.from.hex))
		return true;
	if (lineage->tip == l->p->champion)
		return deserves_crown(l, a, m);
	return beats(against(m, &l->p->attempt[lineage->tip]));
}

static struct error *load(struct loop *l, struct candidate *out, size_t attempt)
{
	return l->e->archive->load(l->e->archive, out,
				   l->p->attempt[attempt].id.hex);
}

/* NULL: it cannot be read, so it has to be measured again. */
static const struct measurement *whole(struct loop *l, struct attempt *a)
{
	cleanup_error struct error *err = NULL;
	struct archive *archive = l->e->archive;
	struct measurement *m = NULL;

	if (!a->measurement->brief)
		return a->measurement;
	if (archive->recall)
		err = archive->recall(archive, &m, a);
	if (err || !m)
		return NULL;
	population_set_measurement(l->p, a, m);
	return m;
}

/* How often a win that could not be confirmed is tried before it stands. */
#define OPEN_TRIES 2

/* CUDA: other sources may have become the same machine code. */
static const struct measurement *look_for_code(struct loop *l, const char **id,
					       const char *code)
{
	size_t open = 0;

	for (size_t i = 0; i < l->p->n; i++) {
		struct attempt *a = &l->p->attempt[i];
		const struct measurement *m = a->measurement;
		const char *known = m ? measurement_get(m, "code") : NULL;

		if (!known || !str_eq(known, code) || !attempt_is_measured(a))
			continue;
		if (!measurement_is_open(m) || ++open == OPEN_TRIES) {
			*id = a->id.hex;
			return whole(l, a);
		}
	}
	return NULL;
}

/* The evaluator calls this in the middle of a score. */
static void find_code(void *arg, const char *code,
		      const struct code_found *found)
{
	struct loop *l = arg;
	const struct measurement *m;
	const char *id = NULL;

	loop_at_rest(l, false);
	agents_await_review(l->agents);
	m = look_for_code(l, &id, code);
	if (m)
		found->take(found->arg, id, m);
	loop_at_rest(l, true);
}

/* Not asked for, or none. */
#define NO_RIVAL SIZE_MAX

/* The attempt whose measurement is asked for, and what it was last compared
 * with; all by their index. */
struct wanted {
	size_t attempt;
	const struct candidate *candidate;
	size_t champion, tip;
};

static size_t tip_of(const struct loop *l, size_t attempt)
{
	const struct lineage *lineage =
		population_lineage(l->p, l->p->attempt[attempt].lineage);

	return lineage ? lineage->tip : l->p->champion;
}

/* Compares a candidate with the champion and, if that is another attempt, with
 * the tip of its own lineage, in the same minutes. The base has no rivals
 * except the baselines. */
static struct error *ask_for_attempt(struct loop *l,
				     struct score_request *request,
				     struct rivals *rivals, void *arg)
{
	struct wanted *w = arg;
	bool is_base = l->p->attempt[w->attempt].number == 0, other_tip;

	w->champion = is_base ? NO_RIVAL : l->p->champion;
	w->tip = is_base ? NO_RIVAL : tip_of(l, w->attempt);
	other_tip = w->tip != w->champion;
	request->candidate = w->candidate;
	request->baselines = is_base;
	request->winners_only = true;
	request->confirm = true;
	request->find_code = find_code;
	request->find_code_arg = l;
	request->sanitizers = l->e->task->sanitizers;
	if (is_base)
		return NULL;
	TRY(rivals_add(rivals, l, other_tip ? RIVAL_CHAMPION : RIVAL_INCUMBENT,
		       w->champion));
	return other_tip ? rivals_add(rivals, l, RIVAL_INCUMBENT, w->tip)
			 : NULL;
}

/* Did it win over rivals that are not those of now? Of several candidates that
 * are measured at a time one may have won the crown, or become the tip. A
 * candidate that did not win has nothing to gain from another comparison. */
static bool has_new_rivals(const struct loop *l, const struct wanted *w,
			   const struct measurement *m)
{
	bool won = false;

	for (size_t i = 0; i < m->n_comparisons; i++)
		won |= m->comparisons[i].rival != RIVAL_BASELINE &&
		       beats(&m->comparisons[i]);
	if (!won || m->verdict != VERDICT_PASS)
		return false;
	return (w->champion != NO_RIVAL && w->champion != l->p->champion) ||
	       (w->tip != NO_RIVAL && w->tip != tip_of(l, w->attempt));
}

/* Where it won, its rivals are those of the moment it is over. */
static struct error *score_wanted(struct loop *l, struct measurement **m,
				  loop_ask *ask, struct wanted *w)
{
	do {
		measurement_free(steal(m));
		TRY(loop_score(l, m, ask, w));
	} while (has_new_rivals(l, w, *m));
	return NULL;
}

/* A failure that would be the same in another measurement. */
static bool is_repeatable_failure(const struct measurement *m)
{
	return m->verdict != VERDICT_PASS && m->verdict != VERDICT_TIMED_OUT;
}

/* The attempt that was judged in this run, the first; NULL: none was. An open
 * win counts only after it was tried again. */
static const struct attempt *judged(const struct loop *l,
				    const struct identity *id)
{
	const struct attempt *first = NULL;
	size_t open = 0;

	for (size_t i = 0; i < l->p->n; i++) {
		const struct measurement *m = l->p->attempt[i].measurement;

		if (!m || !identity_equal(&m->identity, id))
			continue;
		if (!first)
			first = &l->p->attempt[i];
		if (!measurement_is_open(m) || ++open == OPEN_TRIES)
			return first;
	}
	return NULL;
}

/* Two candidates with the same identity (four parts) are not measured twice: an
 * earlier measurement is used if its result does not depend on the current
 * rivals, that is for the base, for failures, and for sources that this run has
 * judged already. */
static struct error *find_known(struct loop *l, struct measurement **out,
				const struct attempt *a,
				const struct candidate *candidate)
{
	cleanup_measurement struct measurement *known = NULL;
	const struct attempt *of;
	struct identity id;

	l->e->evaluator->identify(l->e->evaluator, &id, candidate);
	TRY(l->e->archive->find(l->e->archive, &known, &id));
	of = judged(l, &id);
	if (!known || known->verdict == VERDICT_NOT_RUN ||
	    (a->number != 0 && !is_repeatable_failure(known) && !of))
		return NULL;
	if (of)
		measurement_set(known, "same_sources", of->id.hex);
	*out = steal(&known);
	return NULL;
}

static struct error *record_measurement(struct loop *l, const struct attempt *a,
					struct measurement **m, bool accepted)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_MEASUREMENT, l->e->run);
	e.candidate = a->id;
	e.number = a->number;
	e.measurement = steal(m);
	e.accepted = accepted;
	e.spent_seconds = loop_spent(l);
	/* held: a measurement adds no attempt, so `a` stays where it is */
	return loop_record(l, &e);
}

static struct error *crown(struct loop *l, const struct attempt *a)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_CROWN, l->e->run);
	e.candidate = a->id;
	e.number = a->number;
	e.subject = xstrdup_null(a->subject);
	memcpy(e.machine, l->machine, sizeof e.machine);
	/* held: a crown adds no attempt, so `a` stays where it is */
	TRY(loop_record(l, &e));
	loop_tell(l, EVOLVE_CROWNED, a, NULL);
	return NULL;
}

/* A candidate that does not build failed for every machine; one that builds
 * stays without a measurement. */
static struct error *propose(struct loop *l, const struct attempt *a,
			     const struct candidate *candidate)
{
	const struct score_request request = {.candidate = candidate};
	cleanup_measurement struct measurement *m = NULL;

	TRY(l->e->evaluator->score(l->e->evaluator, &m, &request));
	if (m->verdict == VERDICT_NOT_RUN) {
		loop_tell(l, EVOLVE_PROPOSED, a, NULL);
		return NULL;
	}
	TRY(record_measurement(l, a, &m, false));
	loop_tell(l, EVOLVE_MEASURED, a, NULL);
	return NULL;
}

struct error *loop_measure(struct loop *l, const char *id)
{
	const struct attempt *a = population_find(l->p, id);
	cleanup_measurement struct measurement *m = NULL;
	cleanup_candidate struct candidate candidate = {0};
	struct wanted wanted = {(size_t)(a - l->p->attempt), &candidate,
				NO_RIVAL, NO_RIVAL};
	bool accepted, crowned;

	loop_tell(l, EVOLVE_SCORING, a, NULL);
	TRY(l->e->archive->load(l->e->archive, &candidate, id));
	TRY(find_known(l, &m, a, &candidate));
	if (!m && l->e->proposes)
		return propose(l, a, &candidate);
	if (!m)
		TRY(score_wanted(l, &m, ask_for_attempt, &wanted));
	a = &l->p->attempt[wanted.attempt];
	crowned = deserves_crown(l, a, m);
	accepted = crowned || deserves_acceptance(l, a, m);
	TRY(record_measurement(l, a, &m, accepted));
	loop_tell(l, EVOLVE_MEASURED, a, NULL);
	return crowned ? crown(l, a) : NULL;
}

/* The champion as its rival only while another attempt has the crown: if a champion fails in the
 * meantime, this attempt may become the champion. */
static struct error *ask_for_crown(struct loop *l,
				   struct score_request *request,
				   struct rivals *rivals, void *arg)
{
	struct wanted *w = arg;
	bool is_champion = w->attempt == l->p->champion;

	w->champion = is_champion ? NO_RIVAL : l->p->champion;
	request->candidate = w->candidate;
	request->winners_only = true;
	request->patient = true;
	request->confirm = true;
	request->sanitizers = l->e->task->sanitizers;
	return is_champion ? NULL
			   : rivals_add(rivals, l, RIVAL_CHAMPION, w->champion);
}

static struct error *ask_for_champion(struct loop *l,
				      struct score_request *request,
				      struct rivals *rivals, void *arg)
{
	const struct wanted *w = arg;

	request->candidate = w->candidate;
	request->baselines = true;
	return rivals_add(rivals, l, RIVAL_START, 0);
}

static loop_ask *ask_again_for(const struct loop *l, size_t attempt)
{
	if (attempt == 0)
		return ask_for_attempt;
	return attempt == l->p->champion ? ask_for_champion : ask_for_crown;
}

/* The time was up before it saw anything: what was known of the attempt says
 * more, and stands. Elsewhere nothing is cut short. */
static bool was_cut_short(const struct loop *l, const struct comparison *c)
{
	return !l->e->evaluator->elsewhere && c &&
	       c->decision == DECISION_NONE && clock_run_seconds() >= l->until;
}

static struct error *say_cut_short(struct loop *l, const struct attempt *a)
{
	cleanup_free char *again = attempt_again_command(l->e->run, a);
	cleanup_free char *text = xasprintf("the time was up before #%lld was "
					    "measured once more: `%s` does "
					    "that",
					    (long long)a->number, again);

	loop_tell(l, EVOLVE_REMARKED, a, text);
	return NULL;
}

struct error *loop_measure_again(struct loop *l, size_t attempt, bool final)
{
	cleanup_candidate struct candidate candidate = {0};
	cleanup_measurement struct measurement *m = NULL;
	struct wanted wanted = {attempt, &candidate, NO_RIVAL, NO_RIVAL};
	const struct attempt *a;
	bool crowned;

	loop_tell(l, EVOLVE_SCORING, &l->p->attempt[attempt], NULL);
	TRY(load(l, &candidate, attempt));
	TRY(score_wanted(l, &m, ask_again_for(l, attempt), &wanted));
	a = &l->p->attempt[attempt];
	if (was_cut_short(l, measurement_decisive(m)))
		return say_cut_short(l, a);
	if (final)
		measurement_set(m, "final", "yes");
	crowned = deserves_crown(l, a, m);
	TRY(record_measurement(l, a, &m, a->accepted || crowned));
	loop_tell(l, EVOLVE_MEASURED, a, NULL);
	return crowned ? crown(l, a) : NULL;
}

struct error *loop_compare_crowns(struct loop *l)
{
	return l->p->contested ? loop_measure_again(l, l->p->contested, false)
			       : NULL;
}

static bool is_of_this_kind(const struct loop *l, const struct attempt *a)
{
	return a->measurement &&
	       str_eq(a->measurement->identity.machine, l->machine);
}

struct error *loop_place_champion(struct loop *l)
{
	const struct attempt *a = &l->p->attempt[l->p->champion];

	return isfinite(kinds_gain(l->p, a, kinds_find(l->p, l->machine)))
		       ? NULL
		       : loop_measure_champion(l);
}

bool loop_champion_is_measured(const struct loop *l)
{
	const struct attempt *a = &l->p->attempt[l->p->champion];

	return l->p->champion == 0 ||
	       (is_of_this_kind(l, a) &&
		measurement_against(a->measurement, RIVAL_START, NULL));
}

struct error *loop_measure_champion(struct loop *l)
{
	const struct attempt *a = &l->p->attempt[l->p->champion];
	cleanup_candidate struct candidate champion = {0};
	cleanup_measurement struct measurement *m = NULL;
	struct wanted wanted = {l->p->champion, &champion, NO_RIVAL, NO_RIVAL};

	if (loop_champion_is_measured(l))
		return NULL;
	TRY(load(l, &champion, l->p->champion));
	TRY(loop_score(l, &m, ask_for_champion, &wanted));
	if (was_cut_short(l, measurement_against(m, RIVAL_START, NULL)))
		return say_cut_short(l, &l->p->attempt[l->p->champion]);
	a = &l->p->attempt[l->p->champion];
	/* The crown was won in comparisons of two; an unlucky last check does
	 * not take it away, but its result is recorded. */
	return record_measurement(l, a, &m, true);
}
