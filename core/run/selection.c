#include "core/run/selection.h"

/* A lineage with fewer attempts than this is young: it gets most of the work,
 * because otherwise it would never have a chance. */
#define YOUNG_ATTEMPTS 8
#define YOUNG_SHARE    0.75
#define CHAMPION_SHARE 0.7

/* The choices: the lineages whose tip is not a dead end. */
struct parent_choice {
	const struct population *p;
	struct island at;
	const struct dead_ends *dead_ends;
	size_t champion; /* index of its lineage; SELECTION_NONE: a dead end */
	size_t newest;	 /* SELECTION_NONE: there is none */
	size_t others;	 /* how many besides the champion's */
};

static bool is_open(const struct parent_choice *c, size_t lineage)
{
	const struct lineage *l = &c->p->lineage[lineage];

	return islands_has(c->at, l) && !dead_end_known(c->dead_ends, l->tip);
}

static size_t champions_lineage(const struct population *p)
{
	int64_t number = p->attempt[p->champion].lineage;

	for (size_t i = 0; i < p->n_lineages; i++)
		if (p->lineage[i].number == number)
			return i;
	return 0;
}

static void find_choices(struct parent_choice *c)
{
	c->champion = c->at.n ? islands_champion(c->p, c->at)
			      : champions_lineage(c->p);
	if (!is_open(c, c->champion))
		c->champion = SELECTION_NONE;
	c->newest = SELECTION_NONE;
	c->others = 0;
	for (size_t i = 0; i < c->p->n_lineages; i++) {
		if (!is_open(c, i))
			continue;
		c->newest = i;
		c->others += i != c->champion;
	}
}

/* Draws one of the `n` newest other lineages, with weight 1/rank: the newest
 * has had the fewest chances and is drawn most. The champion's own if there is
 * no other. */
static size_t draw_other(const struct parent_choice *c, struct random *r,
			 size_t n)
{
	size_t chosen = c->champion;
	double total = 0, draw;

	for (size_t rank = 1; rank <= n; rank++)
		total += 1.0 / (double)rank;
	draw = random_unit(r) * total;
	for (size_t i = c->p->n_lineages, rank = 1; i-- > 0 && rank <= n;) {
		if (i == c->champion || !is_open(c, i))
			continue;
		chosen = i;
		draw -= 1.0 / (double)rank++;
		if (draw <= 0)
			break;
	}
	return chosen;
}

static size_t draw(const struct parent_choice *c, size_t live, struct random *r)
{
	bool has_champion = c->champion != SELECTION_NONE;
	size_t worked_on = live ? MIN(c->others, live - 1) : c->others;

	if (!c->others)
		return c->champion;
	if (c->newest != c->champion &&
	    c->p->lineage[c->newest].attempts < YOUNG_ATTEMPTS &&
	    random_unit(r) < YOUNG_SHARE)
		return c->newest;
	if (has_champion && random_unit(r) < CHAMPION_SHARE)
		return c->champion;
	return draw_other(c, r, has_champion ? worked_on : MAX(worked_on, 1));
}

static struct error *choose(size_t *out, struct parent_choice *c, size_t live,
			    struct dead_ends *dead_ends, struct random *r)
{
	bool is_dead_end = true;

	while (is_dead_end) {
		find_choices(c);
		*out = draw(c, live, r);
		if (*out == SELECTION_NONE)
			return NULL;
		TRY(dead_end_ask(&is_dead_end, dead_ends, c->p,
				 c->p->lineage[*out].tip));
	}
	return NULL;
}

struct error *selection_choose(size_t *out, const struct population *p,
			       size_t live, struct dead_ends *dead_ends,
			       struct random *r, struct island at)
{
	struct parent_choice c = {.p = p, .at = at, .dead_ends = dead_ends};

	TRY(choose(out, &c, live, dead_ends, r));
	if (*out != SELECTION_NONE || !at.n)
		return NULL;
	c.at = (struct island){0};
	return choose(out, &c, live, dead_ends, r);
}

static bool has_tip(const struct population *p, size_t lineage,
		    const struct commit_id *tip)
{
	return str_eq(p->attempt[p->lineage[lineage].tip].id.hex, tip->hex);
}

size_t selection_of_tip(const struct population *p, const struct commit_id *tip)
{
	size_t champion = champions_lineage(p);

	if (has_tip(p, champion, tip))
		return champion;
	for (size_t i = p->n_lineages; i-- > 0;)
		if (has_tip(p, i, tip))
			return i;
	return champion;
}
