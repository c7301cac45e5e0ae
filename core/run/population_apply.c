/* Folds the journal into the population: the effect of each kind of entry. */
#include <math.h>

#include "core/run/kinds.h"
#include "core/run/supervisor.h"

static size_t index_of(const struct population *p, const struct attempt *a)
{
	return (size_t)(a - p->attempt);
}

static void add_lineage(struct population *p, int64_t number, size_t root)
{
	GROW(p->lineage, p->n_lineages, p->cap_lineages);
	p->lineage[p->n_lineages++] = (struct lineage){
		.number = number,
		.root = root,
		.tip = root,
	};
}

/* A commit that a person wrote on top of the base is the first attempt, or, where
 * an earlier one failed, the next. */
static void add_from(struct population *p, const struct entry *e,
		     int64_t number)
{
	struct attempt *a = population_add(p, e->from.hex);

	a->parent = e->base;
	a->subject = xstrdup_null(e->subject);
	a->number = number;
	p->highest = MAX(p->highest, number);
	a->lineage = 1;
	a->time_us = e->time_us;
	p->lineage[0].attempts++;
}

/* The run begins with another commit in place of one that failed. A record of
 * another clone that began a run of this name has no number. */
static void begin_with_another(struct population *p, const struct entry *e)
{
	if (e->number <= 1 || !*e->from.hex ||
	    !str_eq(e->base.hex, p->record.base.hex) ||
	    population_find(p, e->from.hex) || !population_start_failed(p))
		return;
	add_from(p, e, e->number);
	p->record.from = e->from;
}

/* The first record of the run: keeps what resuming needs; makes the base attempt 0
 * and the root of the first lineage. */
static void apply_run(struct population *p, const struct entry *e)
{
	struct attempt *base;

	if (p->has_record) {
		begin_with_another(p, e);
		return;
	}
	entry_init(&p->record, ENTRY_RUN, e->run);
	p->record.id = e->id;
	p->record.base = e->base;
	p->record.from = e->from;
	memcpy(p->record.task_id, e->task_id, sizeof e->task_id);
	memcpy(p->record.machine, e->machine, sizeof e->machine);
	p->record.task_path = xstrdup_null(e->task_path);
	p->record.machine_name = xstrdup_null(e->machine_name);
	p->record.operator_name = xstrdup_null(e->operator_name);
	p->record.time_us = e->time_us;
	p->record.seed = e->seed;
	p->has_record = true;

	base = population_add(p, e->base.hex);
	base->subject = xstrdup("the start");
	base->accepted = base->crowned = true;
	base->lineage = 1;
	base->gain = 0;
	base->time_us = e->time_us;
	add_lineage(p, 1, index_of(p, base));
	if (*e->from.hex)
		add_from(p, e, 1);
}

static void apply_attempt(struct population *p, const struct entry *e)
{
	struct lineage *l = population_lineage(p, e->lineage);
	struct attempt *a;

	if (population_find(p, e->candidate.hex))
		return;
	a = population_add(p, e->candidate.hex);
	a->parent = e->parent;
	a->after = e->after;
	a->number = e->number;
	p->highest = MAX(p->highest, e->number);
	a->lineage = e->lineage;
	a->subject = xstrdup_null(e->subject);
	a->hypothesis = xstrdup_null(e->hypothesis);
	a->operator_state = xstrdup_null(e->operator_state);
	a->time_us = e->time_us;
	if (l)
		l->attempts++;
}

/* Sets a's gain from one comparison; false if the comparison leads to no
 * attempt with a gain on the same kind of machine: a product of ratios from two
 * kinds is no ratio of either. */
static bool chain(struct population *p, struct attempt *a,
		  const struct comparison *c)
{
	const struct attempt *rival;
	double gain;

	if (!c || !(c->ratio > 0))
		return false;
	rival = population_find(p, c->name);
	gain = rival && rival != a ? kinds_gain(p, rival, a->kind) : NAN;
	if (!isfinite(gain))
		return false;
	a->gain = gain + log(c->ratio);
	return true;
}

/* Uses the headline if it leads to the start of this run, else the next
 * comparison: a measurement made by an earlier run has another start. */
static void update_gain(struct population *p, struct attempt *a)
{
	if (a->number == 0)
		return;
	if (a->measurement->verdict != VERDICT_PASS) {
		a->gain = NAN;
		return;
	}
	for (size_t i = 0; i < RIVAL_COUNT; i++)
		if (rival_order[i] != RIVAL_BASELINE &&
		    chain(p, a,
			  measurement_against(a->measurement, rival_order[i],
					      NULL)))
			return;
}

/* Remembers what the comparison said that decides on its place. */
static void update_win(const struct population *p, struct attempt *a)
{
	const struct comparison *c = measurement_decisive(a->measurement);
	const struct attempt *rival = c ? population_find(p, c->name) : NULL;

	if (a->measurement->verdict != VERDICT_PASS)
		a->won = (struct win){.ratio = 0};
	else if (rival && rival != a && c->decision == DECISION_FASTER)
		a->won = (struct win){rival->number, c->ratio, c->ratio95,
				      c->confirmed};
}

/* Remembers the run's seconds at its last gain. */
static void mark_gain(struct population *p)
{
	p->since_gain = 0;
	p->gain_seconds = p->spent_seconds;
}

/* Was `a` compared with the attempt that has this id? */
static bool was_held_against(const struct attempt *a, const char *id)
{
	const struct measurement *m = a->measurement;

	for (size_t i = 0; m && i < m->n_comparisons; i++)
		if (str_eq(m->comparisons[i].name, id))
			return true;
	return false;
}

static bool met(const struct population *p, size_t a, size_t b)
{
	return was_held_against(&p->attempt[a], p->attempt[b].id.hex) ||
	       was_held_against(&p->attempt[b], p->attempt[a].id.hex);
}

/* Makes the measurement brief, unless there is a reason to keep it whole. */
static void make_brief(const struct population *p, size_t at)
{
	struct attempt *a = &p->attempt[at];

	if (at == 0 || at == p->champion || !a->measurement ||
	    a->measurement->brief)
		return;
	for (size_t i = 0; i < MIN(p->n_whole, (size_t)POPULATION_WHOLE); i++)
		if (p->whole[i] == at)
			return;
	population_set_measurement(p, a, measurement_brief(a->measurement));
}

/* A hundred thousand whole measurements would not fit into memory: one that
 * leaves the ring is made brief. */
static void keep_whole(struct population *p, size_t at)
{
	size_t i = p->n_whole % POPULATION_WHOLE;
	size_t old = p->whole[i];

	p->whole[i] = at;
	if (p->n_whole++ >= POPULATION_WHOLE)
		make_brief(p, old);
}

/* ---- a crown that is lost -------------------------------------------------- */

/* These failures are the candidate's own. A timeout, or a failure to build or
 * to run, may come from the machine or its load. */
static bool refutes(enum verdict v)
{
	return v == VERDICT_WRONG || v == VERDICT_CRASHED ||
	       v == VERDICT_OUT_OF_BOUNDS || v == VERDICT_FORBIDDEN ||
	       v == VERDICT_IMPOSSIBLE;
}

/* The attempt that still passes and was made last, of those that were crowned
 * on any kind of machine; else the start. */
static size_t last_crowned(const struct population *p)
{
	for (size_t i = p->n; i-- > 1;)
		if (p->attempt[i].crowned && attempt_passes(&p->attempt[i]))
			return i;
	return 0;
}

/* Where its lineages go on: its nearest ancestor that is still accepted. */
static size_t accepted_before(const struct population *p,
			      const struct attempt *a)
{
	const struct attempt *before = a;

	/* The limit: a damaged journal must not make this loop endless. */
	for (size_t i = 0; before && !before->accepted && i <= p->n; i++)
		before = *before->parent.hex
				 ? population_find(p, before->parent.hex)
				 : NULL;
	return before && before->accepted ? index_of(p, before) : 0;
}

/* An accepted attempt that had passed was found wrong: a kernel that is right
 * only sometimes. The previous champion gets the crown back, and no attempt
 * goes on from this one. */
static void depose(struct population *p, struct attempt *a)
{
	a->crowned = a->accepted = false;
	if (p->contested == index_of(p, a))
		p->contested = 0;
	kinds_depose(p, index_of(p, a));
	if (p->champion == index_of(p, a)) {
		p->champion = a->kind ? kinds_champion(p, a->kind) : 0;
		if (!p->champion)
			p->champion = last_crowned(p);
		p->contested = 0;
	}
	for (size_t i = 0; i < p->n_lineages; i++)
		if (p->lineage[i].tip == index_of(p, a))
			p->lineage[i].tip = accepted_before(p, a);
}

bool attempt_is_refuted(const struct attempt *a, const struct measurement *m)
{
	return (a->crowned || a->accepted) && attempt_passes(a) &&
	       refutes(m->verdict) &&
	       str_eq(m->identity.machine, a->measurement->identity.machine);
}

/* A failure of an accepted attempt counts only if it refutes the attempt. */
static bool is_beside_the_crown(const struct attempt *a,
				const struct measurement *m)
{
	return (a->crowned || a->accepted) && attempt_passes(a) &&
	       m->verdict != VERDICT_PASS && !attempt_is_refuted(a, m);
}

/* ---- entries --------------------------------------------------------------- */

/* Measured again it beat the champion: its lineage goes on from it. */
static void accept_late(struct population *p, struct attempt *a)
{
	struct lineage *l = population_lineage(p, a->lineage);

	if (a->accepted || !attempt_passes(a))
		return;
	a->accepted = true;
	mark_gain(p);
	if (!l)
		return;
	l->tip = index_of(p, a);
	l->since_gain = 0;
}

static void apply_measurement(struct population *p, const struct entry *e)
{
	struct attempt *a = population_find(p, e->candidate.hex);
	struct lineage *l;
	bool first, usable, refuted;
	size_t kind;

	if (!a || !e->measurement)
		return;
	usable = e->measurement->verdict != VERDICT_UNUSABLE;
	/* An unusable measurement replaces neither a usable one nor a
	 * champion's. */
	if (!usable && (a->measurement || a->crowned))
		return;
	first = usable && !attempt_is_measured(a);
	kind = kinds_add(p, e->measurement->identity.machine,
			 measurement_get(e->measurement, "machine"));
	if (*p->only && !str_eq(e->measurement->identity.machine, p->only))
		return;
	if (is_beside_the_crown(a, e->measurement))
		return;
	refuted = attempt_is_refuted(a, e->measurement);
	population_set_measurement(p, a,
				   e->measurement->brief
					   ? measurement_brief(e->measurement)
					   : measurement_dup(e->measurement));
	a->entry = e->id;
	keep_whole(p, index_of(p, a));
	while (p->settled < p->n &&
	       attempt_is_measured(&p->attempt[p->settled]))
		p->settled++;
	p->spent_seconds = MAX(p->spent_seconds, e->spent_seconds);
	kinds_measured(p, a, kind);
	update_gain(p, a);
	update_win(p, a);
	if (refuted)
		depose(p, a);
	else if (!first && e->accepted)
		accept_late(p, a);
	if (first && a->number == 0)
		mark_gain(p);
	if (p->contested && met(p, p->contested, p->champion))
		p->contested = 0;
	if (!first || a->number == 0)
		return;
	p->since_gain++;
	p->since_intervention++;
	if (e->accepted)
		mark_gain(p);
	l = population_lineage(p, a->lineage);
	if (!l)
		return;
	l->since_gain++;
	if (e->accepted) {
		a->accepted = true;
		l->tip = index_of(p, a);
		l->since_gain = 0;
	}
}

static void apply_crown(struct population *p, const struct entry *e)
{
	struct attempt *a = population_find(p, e->candidate.hex);
	size_t before, kind, rival;

	/* A crown on an unusable measurement does not count. */
	if (!a || (a->measurement && !attempt_is_measured(a)))
		return;
	if (*p->only && *e->machine && !str_eq(e->machine, p->only))
		return;
	if (*p->only && !a->measurement)
		return;
	kind = *e->machine ? kinds_add(p, e->machine, NULL) : a->kind;
	rival = kinds_champion(p, kind);
	if (index_of(p, a) == p->contested ||
	    (p->contested && met(p, index_of(p, a), p->contested)))
		p->contested = 0;
	if (rival && index_of(p, a) != rival && !met(p, index_of(p, a), rival))
		p->contested = rival;
	a->crowned = true;
	kinds_crown(p, index_of(p, a), kind);
	before = p->champion;
	p->champion = index_of(p, a);
	make_brief(p, before);
	mark_gain(p);
}

/* The run goes on on this kind of machine, so that its champion counts. The
 * champion of another kind is what to begin with where it has none. */
static void apply_start(struct population *p, const struct entry *e)
{
	size_t champion = kinds_champion(p, kinds_find(p, e->machine));

	population_set_text(p, &p->stop_reason, NULL);
	if (*p->only || !champion || champion == p->champion)
		return;
	p->champion = champion;
	p->contested = 0;
}

/* `about`: the attempt that the entry is about; may be NULL. */
static void add_saying(struct population *p, const struct entry *e,
		       const struct attempt *about)
{
	struct saying *w;

	GROW(p->sayings, p->n_sayings, p->cap_sayings);
	w = &p->sayings[p->n_sayings++];
	*w = (struct saying){
		.kind = e->kind,
		.attempts = p->n,
		.time_us = e->time_us,
		.trigger = xstrdup_null(e->trigger),
		.reason = xstrdup_null(e->reason),
		.direction = xstrdup_null(e->direction),
		.spend = e->role_spend,
		.lineage = e->new_lineage,
		.number = about ? about->number : -1,
		.stalled_attempts = e->stalled_attempts,
		.stalled_seconds = e->stalled_seconds,
	};
	w->candidate = e->candidate;
}

static void apply_intervention(struct population *p, const struct entry *e)
{
	const struct attempt *a = population_find(p, e->candidate.hex);
	struct lineage *l;

	add_saying(p, e, a);
	p->spent_seconds = MAX(p->spent_seconds, e->spent_seconds);
	/* The supervisor goes on counting. */
	if (supervisor_said(e->trigger)) {
		p->interventions++;
		p->since_intervention = 0;
		p->intervention_seconds = p->spent_seconds;
	}
	if (!a || population_lineage(p, e->new_lineage))
		return;
	add_lineage(p, e->new_lineage, index_of(p, a));
	l = &p->lineage[p->n_lineages - 1];
	l->island = e->island;
	l->from_island = e->from_island;
	l->began = p->n;
	l->reason = xstrdup_null(e->reason);
	l->direction = !e->direction ? xstrdup_null(e->reason)
		       : !e->reason
			       ? xstrdup(e->direction)
			       : xasprintf("%s\n%s", e->reason, e->direction);
}

void population_apply(struct population *p, const struct entry *e)
{
	p->time_us = MAX(p->time_us, e->time_us);
	spend_add(&p->spend, &e->spend);
	memcpy(p->writer, e->writer, sizeof p->writer);
	if (e->operator_name)
		population_set_text(p, &p->operator_name, e->operator_name);
	switch (e->kind) {
	case ENTRY_RUN:
		apply_run(p, e);
		kinds_add(p, e->machine, e->machine_name);
		break;
	case ENTRY_START:
		apply_start(p, e);
		break;
	case ENTRY_ATTEMPT:
		apply_attempt(p, e);
		break;
	case ENTRY_MEASUREMENT:
		apply_measurement(p, e);
		break;
	case ENTRY_CROWN:
		apply_crown(p, e);
		break;
	case ENTRY_INTERVENTION:
		apply_intervention(p, e);
		break;
	case ENTRY_STOP:
		p->spent_seconds = MAX(p->spent_seconds, e->spent_seconds);
		population_set_text(p, &p->stop_reason, e->reason);
		break;
	case ENTRY_REMARK:
		if (e->operator_state) {
			population_set_text(p, &p->operator_state,
					    e->operator_state);
			p->state_attempts = p->n;
		}
		if (e->reason)
			add_saying(p, e, NULL);
		break;
	case ENTRY_KIND_COUNT:
		break;
	}
}
