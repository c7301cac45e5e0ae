#include "core/supervisor.h"

#include <math.h>

/* Attempts that were measured since the run last had news: a crown, or an
 * earlier intervention (whose lineage deserves its chance first). */
static size_t since_news(const struct population *p)
{
	size_t since = p->since_crown;

	if (p->n_lineages > 1)
		since = MIN(since, p->lineage[p->n_lineages - 1].attempts);
	return since;
}

static size_t not_stalled(const struct population *p, size_t stall)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_lineages; i++)
		n += p->lineage[i].since_gain < 2 * stall;
	return n;
}

static bool is_root_already(const struct population *p, size_t attempt)
{
	for (size_t i = 1; i < p->n_lineages; i++)
		if (p->lineage[i].root == attempt)
			return true;
	return false;
}

/* An accepted candidate other than the champion where no lineage begins yet:
 * drawn, the faster the likelier (weight 1/rank). Falls back to the base. */
static size_t draw_parent(const struct population *p, struct random *r)
{
	size_t n = 0, chosen = 0;
	double total = 0;

	/* Attempts are in order of time and accepted ones rise in speed, so
	 * going backwards is, near enough, going from fast to slow. */
	for (size_t i = p->n; i-- > 0;) {
		const struct attempt *a = &p->attempt[i];
		double weight;

		if (!a->accepted || i == p->champion || is_root_already(p, i))
			continue;
		weight = 1.0 / (double)++n;
		total += weight;
		if (random_unit(r) * total < weight)
			chosen = i;
	}
	return chosen;
}

void supervisor_review(struct intervention *out,
		       const struct supervisor_rules *rules,
		       const struct population *p, struct random *r)
{
	size_t since = p->n_lineages ? since_news(p) : 0;
	const struct attempt *parent;

	*out = (struct intervention){0};
	if (!rules->stall || since < rules->stall ||
	    not_stalled(p, rules->stall) > rules->max_lineages)
		return;
	out->wanted = true;
	out->parent = draw_parent(p, r);
	parent = &p->attempt[out->parent];
	out->reason = xasprintf(
		"%zu attempts without a new champion: begin again from %s "
		"(attempt %lld: %s) and move away from what was tried since",
		since, out->parent ? "an earlier candidate" : "the start",
		(long long)parent->number,
		parent->subject ? parent->subject : "no subject");
}

void intervention_release(struct intervention *i)
{
	free(i->reason);
	*i = (struct intervention){0};
}
