#include "cmd/session/pair.h"

struct pair_search {
	struct pair *out;
	const struct candidate_record *first,
		*second; /* NULL second: a baseline */
	const char *baseline;
};

static void keep(struct pair *p, const struct comparison *c, bool inverse)
{
	const struct interval r = c->ratio95;

	if (!(c->ratio > 0))
		return;
	p->found = true;
	p->ratio = inverse ? 1 / c->ratio : c->ratio;
	p->ratio95.lo = inverse ? 1 / r.hi : r.lo;
	p->ratio95.hi = inverse ? 1 / r.lo : r.hi;
}

/* `m` is the first's, or the second's. */
static void look_at(const struct pair_search *s, const struct measurement *m,
		    bool of_second)
{
	const char *rival = of_second	? s->first->commit.id
			    : s->second ? s->second->commit.id
					: s->baseline;

	for (size_t i = 0; m && i < m->n_comparisons; i++) {
		const struct comparison *c = &m->comparisons[i];

		if ((c->rival == RIVAL_BASELINE) == !s->second &&
		    str_eq(c->name, rival))
			keep(s->out, c, of_second);
	}
}

static void add_entry(void *arg, const struct entry *e)
{
	const struct pair_search *s = arg;

	if (e->kind != ENTRY_MEASUREMENT)
		return;
	if (str_eq(e->candidate, s->first->commit.id))
		look_at(s, e->measurement, false);
	else if (s->second && str_eq(e->candidate, s->second->commit.id))
		look_at(s, e->measurement, true);
}

static struct error *read_both(struct pair_search *s, struct gitstore *g,
			       const char *run)
{
	TRY(gitstore_read_about(g, run, s->first->commit.id, add_entry, s));
	if (!s->second)
		return NULL;
	return gitstore_read_about(g, run, s->second->commit.id, add_entry, s);
}

/* The notes first: what the journals have is at least as new. */
static struct error *find(struct pair_search *s, struct gitstore *g)
{
	const char *run = s->first->run;
	const char *other = s->second ? s->second->run : "";

	*s->out = (struct pair){.found = false};
	if (s->second)
		look_at(s, s->second->measurement, true);
	look_at(s, s->first->measurement, false);
	TRY(read_both(s, g, "@"));
	if (*run && !str_eq(run, "@"))
		TRY(read_both(s, g, run));
	if (*other && !str_eq(other, "@") && !str_eq(other, run))
		TRY(read_both(s, g, other));
	return NULL;
}

struct error *pair_of_records(struct pair *out, struct gitstore *g,
			      const struct candidate_record *first,
			      const struct candidate_record *second)
{
	struct pair_search s = {.out = out, .first = first, .second = second};

	return find(&s, g);
}

struct error *pair_with_baseline(struct pair *out, struct gitstore *g,
				 const struct candidate_record *first,
				 const char *baseline)
{
	struct pair_search s = {
		.out = out, .first = first, .baseline = baseline};

	return find(&s, g);
}
