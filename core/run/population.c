#include "core/run/population.h"

#include <math.h>

void population_init(struct population *p)
{
	*p = (struct population){0};
}

/* Is it inside the block? The block is freed as a whole. */
static bool in_block(const struct population *p, const void *owned)
{
	uintptr_t at = (uintptr_t)owned, block = (uintptr_t)p->block;

	return p->block && at >= block && at - block < p->block_len;
}

static void drop(const struct population *p, void *owned)
{
	if (!in_block(p, owned))
		free(owned);
}

void population_set_measurement(const struct population *p, struct attempt *a,
				struct measurement *m)
{
	if (!in_block(p, a->measurement))
		measurement_free(a->measurement);
	a->measurement = m;
}

void population_set_text(const struct population *p, char **at,
			 const char *text)
{
	drop(p, *at);
	*at = xstrdup_null(text);
}

/* Only reads: of a hundred thousand attempts of which fifty were used, the
 * others have no memory pages yet, and a write would make them. */
static void attempt_release(const struct population *p, const struct attempt *a)
{
	drop(p, a->subject);
	drop(p, a->hypothesis);
	drop(p, a->operator_state);
	if (!in_block(p, a->measurement))
		measurement_free(a->measurement);
}

void population_release(struct population *p)
{
	for (size_t i = 0; i < p->n; i++)
		attempt_release(p, &p->attempt[i]);
	for (size_t i = 0; i < p->n_lineages; i++) {
		drop(p, p->lineage[i].reason);
		drop(p, p->lineage[i].direction);
	}
	for (size_t i = 0; i < p->n_sayings; i++) {
		drop(p, p->sayings[i].trigger);
		drop(p, p->sayings[i].reason);
		drop(p, p->sayings[i].direction);
	}
	for (size_t i = 0; i < p->n_machines; i++)
		drop(p, p->machine[i].name);
	free(p->attempt);
	free(p->lineage);
	free(p->sayings);
	free(p->machine);
	free(p->standing);
	free(p->slot);
	drop(p, p->stop_reason);
	drop(p, p->operator_name);
	drop(p, p->operator_state);
	if (p->has_record)
		entry_release(&p->record);
	free(p->block);
	population_init(p);
}

/* ---- finding ------------------------------------------------------------- */

/* Ids are hashes, so their first digits are evenly spread. */
static size_t slot_of(const struct population *p, const char *id)
{
	size_t mask = p->n_slots - 1, at = 0;

	for (const char *c = id; *c && c < id + 12; c++)
		at = 16 * at + (size_t)(*c <= '9' ? *c - '0' : *c - 'a' + 10);
	for (at &= mask; p->slot[at]; at = (at + 1) & mask)
		if (str_eq(p->attempt[p->slot[at] - 1].id.hex, id))
			break;
	return at;
}

void population_index(struct population *p)
{
	free(p->slot);
	for (p->n_slots = 64; p->n_slots < 2 * p->cap;)
		p->n_slots *= 2;
	p->slot = xcalloc(p->n_slots, sizeof *p->slot);
	for (size_t i = 0; i < p->n; i++) {
		size_t at = slot_of(p, p->attempt[i].id.hex);

		if (!p->slot[at])
			p->slot[at] = (uint32_t)i + 1;
	}
}

struct attempt *population_find(const struct population *p, const char *id)
{
	uint32_t found = p->n_slots ? p->slot[slot_of(p, id)] : 0;

	return found ? &p->attempt[found - 1] : NULL;
}

struct attempt *population_add(struct population *p, const char *id)
{
	const struct spend *s = &p->spend;
	struct attempt a = {
		.gain = NAN,
		.tokens = (double)s->tokens_in + (double)s->tokens_out,
		.dollars = s->dollars,
	};

	a.id = commit_id(id);
	GROW(p->attempt, p->n, p->cap);
	/* GROW leaves room; the analyzer does not follow it here. */
	p->attempt[p->n] = a; // NOLINT(clang-analyzer-core.NullDereference)
	if (2 * p->n >= p->n_slots)
		population_index(p);
	p->slot[slot_of(p, id)] = (uint32_t)++p->n;
	return &p->attempt[p->n - 1];
}

struct lineage *population_lineage(const struct population *p, int64_t number)
{
	/* Usually lineage N is at index N - 1. */
	if (number > 0 && (uint64_t)number <= p->n_lineages &&
	    p->lineage[number - 1].number == number)
		return &p->lineage[number - 1];
	for (size_t i = 0; i < p->n_lineages; i++)
		if (p->lineage[i].number == number)
			return &p->lineage[i];
	return NULL;
}

int64_t population_next_number(const struct population *p)
{
	return p->highest + 1;
}

bool population_start_failed(const struct population *p)
{
	const struct attempt *from = population_find(p, p->record.from.hex);

	if (!from || !attempt_is_measured(from) || attempt_passes(from))
		return false;
	for (size_t i = 0; i < p->n; i++)
		if (p->attempt[i].number && attempt_passes(&p->attempt[i]))
			return false;
	return true;
}

struct attempt *population_in_flight(const struct population *p, size_t from)
{
	for (size_t i = MAX(p->settled, from); i < p->n; i++)
		if (!attempt_is_measured(&p->attempt[i]))
			return &p->attempt[i];
	return NULL;
}

double attempt_speedup(const struct attempt *a)
{
	return exp(a->gain);
}

bool attempt_is_measured(const struct attempt *a)
{
	return a->measurement && a->measurement->verdict != VERDICT_UNUSABLE;
}

bool attempt_passes(const struct attempt *a)
{
	return a->measurement && a->measurement->verdict == VERDICT_PASS;
}

/* ---- what gets a branch -------------------------------------------------- */

/* Which attempts lead to the champion, itself among them; free() it. */
static bool *champions_line(const struct population *p)
{
	bool *on = xcalloc(p->n + 1, sizeof *on);
	const struct attempt *a = p->n ? &p->attempt[p->champion] : NULL;

	/* The limit: a damaged journal must not make this loop endless. */
	while (a && !on[a - p->attempt]) {
		on[a - p->attempt] = true;
		a = *a->parent.hex ? population_find(p, a->parent.hex) : NULL;
	}
	return on;
}

/* Does it take a walk along the champion's line to tell which are live? A run of
 * one lineage has its champion at the tip. */
static bool needs_line(const struct population *p)
{
	for (size_t i = 0; i < p->n_lineages; i++)
		if (p->lineage[i].tip != p->lineage[i].root &&
		    p->lineage[i].tip != p->champion)
			return true;
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
	cleanup_free bool *on_line = needs_line(p) ? champions_line(p) : NULL;
	size_t n = 0;

	for (size_t i = 0; i < p->n_lineages; i++) {
		size_t at;

		if (p->lineage[i].tip == p->lineage[i].root ||
		    p->lineage[i].tip == p->champion ||
		    (on_line && on_line[p->lineage[i].tip]))
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

/* ---- spend by role ------------------------------------------------------- */

static enum role role_of(const struct saying *w)
{
	return w->kind == ENTRY_INTERVENTION ? ROLE_SUPERVISOR
					     : role_find(w->trigger);
}

size_t population_role_spend(struct spend out[ROLE_COUNT],
			     const struct population *p)
{
	struct spend rest = p->spend;
	size_t n = 0;

	for (enum role i = ROLE_PLANNER; i < ROLE_COUNT; i++)
		out[i] = (struct spend){0};
	for (size_t i = 0; i < p->n_sayings; i++) {
		const struct spend *s = &p->sayings[i].spend;
		enum role role = role_of(&p->sayings[i]);

		if (role == ROLE_COUNT)
			continue;
		spend_add(&out[role], s);
		rest.turns -= s->turns;
		rest.tokens_in -= s->tokens_in;
		rest.tokens_hit -= s->tokens_hit;
		rest.tokens_out -= s->tokens_out;
		rest.dollars -= s->dollars;
	}
	/* Sums of money have rounding errors. */
	if (rest.turns <= 0 || rest.dollars < 1e-9)
		rest.dollars = 0;
	rest.gpu_seconds = 0;
	if (rest.turns > 0)
		spend_add(&out[ROLE_WRITER], &rest);
	for (enum role i = ROLE_PLANNER; i < ROLE_COUNT; i++)
		n += out[i].turns > 0;
	return n;
}
