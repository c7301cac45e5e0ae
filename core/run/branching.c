#include "core/run/branching.h"

#include <math.h>

#include "core/run/outcome.h"

/* How many accepted candidates are considered: the newest, and the base. */
#define MAX_MEMBERS 512 /* one of them the nearest */
/* The least worth of an idea, so that a candidate can still be drawn where no
 * idea made anything faster. */
#define LEAST_WORTH 0.05

/* The accepted candidates, oldest first, and how they descend. */
struct family {
	const struct population *p;
	size_t at[MAX_MEMBERS];	    /* indices of attempts */
	size_t parent[MAX_MEMBERS]; /* positions in `at`; its own: unknown */
	size_t depth[MAX_MEMBERS];  /* accepted steps from the first known */
	size_t n;
};

bool branching_allowed(const struct population *p, size_t attempt)
{
	const struct attempt *a = attempt < p->n ? &p->attempt[attempt] : NULL;

	return a && a->accepted && attempt_passes(a);
}

static size_t first_member(const struct population *p)
{
	size_t n = 0;

	for (size_t i = p->n; i-- > 1;)
		if (branching_allowed(p, i) && ++n == MAX_MEMBERS - 2)
			return i;
	return 1;
}

static void add_member(struct family *f, size_t attempt)
{
	const char *parent = f->p->attempt[attempt].parent.hex;
	size_t at = f->n++;

	f->at[at] = attempt;
	f->parent[at] = at;
	f->depth[at] = 0;
	for (size_t i = at; i-- > 0;)
		if (str_eq(f->p->attempt[f->at[i]].id.hex, parent)) {
			f->parent[at] = i;
			f->depth[at] = f->depth[i] + 1;
			return;
		}
}

/* The accepted ones, and the fastest of those that were found faster and only
 * the machine kept from being accepted: slower ones are no better place. */
static void family_init(struct family *f, const struct population *p)
{
	const struct attempt *a = attempt_nearest(p);
	/* The start is none. */
	size_t nearest = a ? (size_t)(a - p->attempt) : 0;

	f->p = p;
	f->n = 0;
	add_member(f, 0);
	for (size_t i = first_member(p); i < p->n; i++)
		if (branching_allowed(p, i) || i == nearest)
			add_member(f, i);
}

/* Accepted steps from one to the other through their common ancestor. */
static size_t distance(const struct family *f, size_t a, size_t b)
{
	size_t steps = 0;

	for (; a != b; steps++) {
		size_t *deeper = f->depth[a] > f->depth[b] ? &a : &b;

		if (f->parent[*deeper] == *deeper)
			return steps + 1;
		*deeper = f->parent[*deeper];
	}
	return steps;
}

static double gain_of(const struct family *f, size_t member)
{
	double gain = f->p->attempt[f->at[member]].gain;

	return isfinite(gain) ? gain : 0;
}

/* The gain of an average idea on the way to this member: a logarithm. */
static double gain_per_idea(const struct family *f, size_t member)
{
	return MAX(gain_of(f, member), 0) /
	       (double)MAX(f->depth[member], (size_t)1);
}

static double best_per_idea(const struct family *f)
{
	double best = 0;

	for (size_t i = 0; i < f->n; i++)
		best = MAX(best, gain_per_idea(f, i));
	return best;
}

static size_t begun_from(const struct population *p, size_t attempt)
{
	size_t n = 0;

	for (size_t i = 1; i < p->n_lineages; i++)
		n += p->lineage[i].root == attempt;
	return n;
}

/* The tip of the lineage that the newest attempt belongs to. */
static size_t working_tip(const struct population *p)
{
	const struct lineage *l =
		population_lineage(p, p->attempt[p->n - 1].lineage);

	return l ? l->tip : p->champion;
}

static size_t position_of(const struct family *f, size_t attempt)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i] == attempt)
			return i;
	return 0;
}

/* The product of three fractions: how much its ideas gained, how fast it is and
 * how far it is from the tip (the tip itself is worth nothing). Much less if a
 * lineage was already begun from it. */
static double worth(const struct family *f, size_t member, size_t tip,
		    double best)
{
	double champion = gain_of(f, position_of(f, f->p->champion));
	double far = (double)distance(f, member, tip);
	double begun = (double)begun_from(f->p, f->at[member]);
	double ideas = best > 0 ? gain_per_idea(f, member) / best : 0;
	double speed = exp(MIN(gain_of(f, member) - champion, 0));

	return (LEAST_WORTH + ideas) * speed * far / (far + 2) /
	       ((1 + begun) * (1 + begun));
}

/* Where no other attempt has any worth: the base, else the attempts that are
 * worked on anyway. */
static size_t last_resort(const struct population *p,
			  const struct dead_ends *dead_ends)
{
	const size_t resort[] = {0, p->champion, working_tip(p)};

	for (size_t i = 0; i < ARRAY_SIZE(resort); i++)
		if (!dead_end_known(dead_ends, resort[i]))
			return resort[i];
	return BRANCHING_NONE;
}

static size_t draw(const struct family *f, const struct dead_ends *dead_ends,
		   struct random *r)
{
	size_t tip = position_of(f, working_tip(f->p));
	size_t chosen = BRANCHING_NONE;
	double best = best_per_idea(f), total = 0;

	for (size_t i = 0; i < f->n; i++) {
		double weight;

		if (f->at[i] == f->p->champion ||
		    dead_end_known(dead_ends, f->at[i]))
			continue;
		weight = worth(f, i, tip, best);
		total += weight;
		if (random_unit(r) * total < weight)
			chosen = f->at[i];
	}
	return chosen == BRANCHING_NONE ? last_resort(f->p, dead_ends) : chosen;
}

struct error *branching_choose(size_t *out, const struct population *p,
			       struct dead_ends *dead_ends, struct random *r)
{
	cleanup_free struct family *f = xcalloc(1, sizeof *f);
	bool is_dead_end = true;

	family_init(f, p);
	while (is_dead_end) {
		*out = draw(f, dead_ends, r);
		if (*out == BRANCHING_NONE)
			return NULL;
		TRY(dead_end_ask(&is_dead_end, dead_ends, p, *out));
	}
	return NULL;
}

bool branching_was_asked(const char *trigger)
{
	return trigger && str_eq(trigger, BRANCHING_ASKED);
}
