#include "core/run/islands.h"

#include <inttypes.h>
#include <math.h>

#define TRIGGER_BEGINS	 "island"
#define TRIGGER_MIGRATES "migration"

/* What is faster by less than this is not worth another beginning. */
#define LEAST_GAIN 0.01

bool islands_said(const char *trigger)
{
	return trigger && (str_eq(trigger, TRIGGER_BEGINS) ||
			   str_eq(trigger, TRIGGER_MIGRATES));
}

/* ---- what an island has ---------------------------------------------------- */

bool islands_has(struct island at, const struct lineage *l)
{
	int64_t number = MAX(l->island, 1);

	return !at.n ||
	       (uint64_t)(number - 1) % at.n + 1 == (uint64_t)at.number;
}

static double gain_of(const struct population *p, size_t lineage)
{
	double gain = p->attempt[p->lineage[lineage].tip].gain;

	return isfinite(gain) ? gain : -INFINITY;
}

size_t islands_champion(const struct population *p, struct island at)
{
	size_t best = p->n_lineages;

	for (size_t i = 0; i < p->n_lineages; i++)
		if (islands_has(at, &p->lineage[i]) &&
		    (best == p->n_lineages || gain_of(p, i) > gain_of(p, best)))
			best = i;
	return best == p->n_lineages ? 0 : best;
}

size_t islands_newest(const struct population *p, struct island at)
{
	for (size_t i = p->n_lineages; i-- > 0;)
		if (islands_has(at, &p->lineage[i]))
			return i;
	return 0;
}

static bool has_begun(const struct population *p, struct island at)
{
	for (size_t i = 0; i < p->n_lineages; i++)
		if (islands_has(at, &p->lineage[i]))
			return true;
	return false;
}

/* ---- when something is due ------------------------------------------------- */

/* Did this lineage begin with a migration to the island, or from it? */
static bool took_part(struct island at, const struct lineage *l)
{
	const struct lineage source = {.island = l->from_island};

	return l->from_island > 0 &&
	       (islands_has(at, l) || islands_has(at, &source));
}

/* How many attempts the run had when the island last gave or took. */
static size_t last_exchange(const struct population *p, struct island at)
{
	for (size_t i = p->n_lineages; i-- > 0;)
		if (took_part(at, &p->lineage[i]))
			return MIN(p->lineage[i].began, p->n);
	return 1;
}

static bool is_of(const struct population *p, struct island at,
		  const struct attempt *a)
{
	const struct lineage *l = population_lineage(p, a->lineage);

	return l && islands_has(at, l);
}

/* Has the island worked enough since then that its champion is offered? */
static bool is_due(const struct population *p, struct island at,
		   const struct island_rules *rules)
{
	size_t since = last_exchange(p, at), attempts = 0, accepted = 0;

	for (size_t i = p->n; i-- > since;) {
		const struct attempt *a = &p->attempt[i];

		if (!attempt_is_measured(a) || !is_of(p, at, a))
			continue;
		attempts++;
		accepted += a->accepted;
		if (attempts >= rules->attempts || accepted >= rules->accepted)
			return true;
	}
	return false;
}

/* Ratios are of one kind of machine. The start has no kind. */
static bool is_faster(const struct population *p, size_t one, size_t than)
{
	const struct attempt *a = &p->attempt[p->lineage[one].tip];
	const struct attempt *b = &p->attempt[p->lineage[than].tip];

	if (a->number && b->number && a->kind != b->kind)
		return false;
	return gain_of(p, one) > gain_of(p, than) + LEAST_GAIN;
}

/* ---- the entries ----------------------------------------------------------- */

/* Of a lineage of this island that begins at this attempt. */
static void begin_entry(struct entry *out, const struct population *p,
			struct island at, size_t attempt, const char *trigger)
{
	int64_t newest = 0;

	for (size_t i = 0; i < p->n_lineages; i++)
		newest = MAX(newest, p->lineage[i].number);
	entry_init(out, ENTRY_INTERVENTION, p->record.run);
	out->candidate = p->attempt[attempt].id;
	out->new_lineage = newest + 1;
	out->island = (int64_t)at.number;
	out->trigger = xstrdup(trigger);
}

/* At the champion of this moment; in a new run that is the start. */
static void begins(struct entry *out, const struct population *p,
		   struct island at)
{
	size_t root = p->champion ? p->champion : p->lineage[0].tip;

	begin_entry(out, p, at, root, TRIGGER_BEGINS);
	out->reason = xasprintf("island %zu of %zu begins at #%" PRId64,
				at.number, at.n, p->attempt[root].number);
	out->direction = xstrdup("What you make is bred apart from the other "
				 "islands: try what they may not.");
}

static char *speed(const struct attempt *a)
{
	return isfinite(a->gain) ? xasprintf("%.2fx", exp(a->gain))
				 : xstrdup("of unknown speed");
}

static void migrates(struct entry *out, const struct population *p,
		     struct island from, struct island to)
{
	size_t root = p->lineage[islands_champion(p, from)].tip;
	const struct attempt *a = &p->attempt[root];
	const struct attempt *had =
		&p->attempt[p->lineage[islands_champion(p, to)].tip];
	cleanup_free char *fast = speed(a), *slow = speed(had);

	begin_entry(out, p, to, root, TRIGGER_MIGRATES);
	out->from_island = (int64_t)from.number;
	out->reason = xasprintf("migration: #%" PRId64
				" (%s the start) of island %zu to island %zu, "
				"whose best is #%" PRId64 " (%s)",
				a->number, fast, from.number, to.number,
				had->number, slow);
	out->direction = xasprintf(
		"It was bred in another island. What #%" PRId64
		" of this island does and it does not may help it, too.",
		had->number);
}

bool islands_next(struct entry *out, const struct population *p,
		  const struct island_rules *rules)
{
	for (size_t i = 1; rules->count > 1 && i <= rules->count; i++) {
		const struct island at = {i, rules->count};

		if (has_begun(p, at))
			continue;
		begins(out, p, at);
		return true;
	}
	for (size_t i = 1; rules->count > 1 && i <= rules->count; i++) {
		const struct island from = {i, rules->count};
		const struct island to = {i % rules->count + 1, rules->count};

		if (!is_faster(p, islands_champion(p, from),
			       islands_champion(p, to)) ||
		    !is_due(p, from, rules))
			continue;
		migrates(out, p, from, to);
		return true;
	}
	return false;
}
