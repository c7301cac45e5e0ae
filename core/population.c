#include "core/population.h"

#include <math.h>

void population_init(struct population *p)
{
	*p = (struct population){0};
}

static void attempt_release(struct attempt *a)
{
	free(a->subject);
	free(a->hypothesis);
	free(a->operator_state);
	measurement_free(a->measurement);
}

void population_release(struct population *p)
{
	for (size_t i = 0; i < p->n; i++)
		attempt_release(&p->attempt[i]);
	for (size_t i = 0; i < p->n_lineages; i++) {
		free(p->lineage[i].reason);
		free(p->lineage[i].direction);
	}
	free(p->attempt);
	free(p->lineage);
	free(p->stop_reason);
	if (p->has_record)
		entry_release(&p->record);
	population_init(p);
}

struct attempt *population_find(const struct population *p, const char *id)
{
	/* Newest first: that is what is asked for most. */
	for (size_t i = p->n; i-- > 0;)
		if (str_eq(p->attempt[i].id, id))
			return &p->attempt[i];
	return NULL;
}

struct lineage *population_lineage(const struct population *p, int64_t number)
{
	for (size_t i = 0; i < p->n_lineages; i++)
		if (p->lineage[i].number == number)
			return &p->lineage[i];
	return NULL;
}

int64_t population_next_number(const struct population *p)
{
	int64_t highest = 0;

	for (size_t i = 0; i < p->n; i++)
		highest = MAX(highest, p->attempt[i].number);
	return highest + 1;
}

struct attempt *population_in_flight(const struct population *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->attempt[i].measurement)
			return &p->attempt[i];
	return NULL;
}

static size_t index_of(const struct population *p, const struct attempt *a)
{
	return (size_t)(a - p->attempt);
}

static struct attempt *add_attempt(struct population *p, const char *id)
{
	struct attempt *a;

	GROW(p->attempt, p->n, p->cap);
	a = &p->attempt[p->n++];
	*a = (struct attempt){.gain = NAN};
	memcpy(a->id, id, sizeof a->id);
	return a;
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

/* What a person wrote on top of the base is the first attempt. */
static void add_from(struct population *p, const struct entry *e)
{
	struct attempt *a = add_attempt(p, e->from);

	memcpy(a->parent, e->base, sizeof a->parent);
	a->subject = xstrdup_null(e->subject);
	a->number = 1;
	a->lineage = 1;
	a->time_us = e->time_us;
	p->lineage[0].attempts = 1;
}

/* The record of the run: keeps what resuming needs and makes the base the
 * attempt 0 and the root of the first lineage. */
static void apply_run(struct population *p, const struct entry *e)
{
	struct attempt *base;

	if (p->has_record)
		return;
	entry_init(&p->record, ENTRY_RUN, e->run);
	memcpy(p->record.id, e->id, sizeof e->id);
	memcpy(p->record.base, e->base, sizeof e->base);
	memcpy(p->record.from, e->from, sizeof e->from);
	memcpy(p->record.task_id, e->task_id, sizeof e->task_id);
	memcpy(p->record.machine, e->machine, sizeof e->machine);
	p->record.task_path = xstrdup_null(e->task_path);
	p->record.machine_name = xstrdup_null(e->machine_name);
	p->record.operator_name = xstrdup_null(e->operator_name);
	p->record.time_us = e->time_us;
	p->record.seed = e->seed;
	p->has_record = true;

	base = add_attempt(p, e->base);
	base->subject = xstrdup("the start");
	base->accepted = base->crowned = true;
	base->lineage = 1;
	base->gain = 0;
	base->time_us = e->time_us;
	add_lineage(p, 1, index_of(p, base));
	if (*e->from)
		add_from(p, e);
}

static void apply_attempt(struct population *p, const struct entry *e)
{
	struct lineage *l = population_lineage(p, e->lineage);
	struct attempt *a;

	if (population_find(p, e->candidate))
		return;
	a = add_attempt(p, e->candidate);
	memcpy(a->parent, e->parent, sizeof a->parent);
	memcpy(a->after, e->after, sizeof a->after);
	a->number = e->number;
	a->lineage = e->lineage;
	a->subject = xstrdup_null(e->subject);
	a->hypothesis = xstrdup_null(e->hypothesis);
	a->operator_state = xstrdup_null(e->operator_state);
	a->time_us = e->time_us;
	if (l)
		l->attempts++;
}

/* Chains a's gain from one comparison; false if it does not lead anywhere. */
static bool chain(struct population *p, struct attempt *a,
		  const struct comparison *c)
{
	const struct attempt *rival;

	if (!c || !(c->ratio > 0))
		return false;
	rival = population_find(p, c->name);
	if (!rival || rival == a || !isfinite(rival->gain))
		return false;
	a->gain = rival->gain + log(c->ratio);
	return true;
}

static void update_gain(struct population *p, struct attempt *a)
{
	static const enum rival best_first[] = {RIVAL_START, RIVAL_CHAMPION,
						RIVAL_INCUMBENT};

	if (a->number == 0)
		return;
	if (a->measurement->verdict != VERDICT_PASS) {
		a->gain = NAN;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(best_first); i++)
		if (chain(p, a,
			  measurement_against(a->measurement, best_first[i],
					      NULL)))
			return;
}

/* What was spent when the run last had a gain: whatever is counted in spend
 * is noted here. */
static void mark_gain(struct population *p)
{
	p->since_gain = 0;
	p->gain_seconds = p->spent_seconds;
}

static void apply_measurement(struct population *p, const struct entry *e)
{
	struct attempt *a = population_find(p, e->candidate);
	struct lineage *l;
	bool first;

	if (!a || !e->measurement)
		return;
	first = !a->measurement;
	measurement_free(a->measurement);
	a->measurement = measurement_dup(e->measurement);
	p->spent_seconds = MAX(p->spent_seconds, e->spent_seconds);
	update_gain(p, a);
	if (first && a->number == 0)
		mark_gain(p);
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
	struct attempt *a = population_find(p, e->candidate);

	if (!a)
		return;
	a->crowned = true;
	p->champion = index_of(p, a);
	mark_gain(p);
}

static void apply_intervention(struct population *p, const struct entry *e)
{
	const struct attempt *a = population_find(p, e->candidate);
	struct lineage *l;

	p->interventions++;
	p->spent_seconds = MAX(p->spent_seconds, e->spent_seconds);
	p->since_intervention = 0;
	p->intervention_seconds = p->spent_seconds;
	if (!a || population_lineage(p, e->new_lineage))
		return;
	add_lineage(p, e->new_lineage, index_of(p, a));
	l = &p->lineage[p->n_lineages - 1];
	l->reason = xstrdup_null(e->reason);
	l->direction = !e->direction ? xstrdup_null(e->reason)
		       : !e->reason
			       ? xstrdup(e->direction)
			       : xasprintf("%s\n%s", e->reason, e->direction);
}

static void set_stop(struct population *p, const char *reason)
{
	free(p->stop_reason);
	p->stop_reason = xstrdup_null(reason);
}

void population_apply(struct population *p, const struct entry *e)
{
	p->time_us = MAX(p->time_us, e->time_us);
	spend_add(&p->spend, &e->spend);
	switch (e->kind) {
	case ENTRY_RUN:
		apply_run(p, e);
		break;
	case ENTRY_START:
		set_stop(p, NULL);
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
		set_stop(p, e->reason);
		break;
	case ENTRY_REMARK:
	case ENTRY_KIND_COUNT:
		break;
	}
}

static bool is_ancestor_of_champion(const struct population *p, size_t i)
{
	const struct attempt *a = p->n ? &p->attempt[p->champion] : NULL;

	/* A chain is never longer than the population; a damaged journal must
	 * not make it endless. */
	for (size_t steps = 0; a && steps <= p->n; steps++) {
		if (a == &p->attempt[i])
			return true;
		a = *a->parent ? population_find(p, a->parent) : NULL;
	}
	return false;
}

static double tip_gain(const struct population *p, size_t lineage)
{
	double gain = p->attempt[p->lineage[lineage].tip].gain;

	return isfinite(gain) ? gain : -INFINITY;
}

size_t population_live(const struct population *p, size_t *lineage_index,
		       size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_lineages; i++) {
		size_t at;

		if (p->lineage[i].tip == p->lineage[i].root ||
		    is_ancestor_of_champion(p, p->lineage[i].tip))
			continue;
		for (at = 0; at < n; at++)
			if (tip_gain(p, i) > tip_gain(p, lineage_index[at]))
				break;
		if (at >= max)
			continue;
		n = MIN(n + 1, max);
		for (size_t j = n - 1; j > at; j--)
			lineage_index[j] = lineage_index[j - 1];
		lineage_index[at] = i;
	}
	return n;
}
