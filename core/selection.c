#include "core/selection.h"

/* A lineage that was begun lately has had fewer attempts than this: it gets
 * most of the work, or it would never find its feet. */
#define YOUNG_ATTEMPTS 8
#define YOUNG_SHARE    0.75
#define CHAMPION_SHARE 0.7

static size_t champions_lineage(const struct population *p)
{
	int64_t number = p->attempt[p->champion].lineage;

	for (size_t i = 0; i < p->n_lineages; i++)
		if (p->lineage[i].number == number)
			return i;
	return 0;
}

/* Of the `n` newest other lineages one, with weight 1/rank: the newest, which
 * had the fewest chances, is drawn most; the champion's own if there is no
 * other. */
static size_t draw_other(const struct population *p, struct random *r,
			 size_t champion, size_t n)
{
	double total = 0, draw;

	for (size_t rank = 1; rank <= n; rank++)
		total += 1.0 / (double)rank;
	draw = random_unit(r) * total;
	for (size_t i = p->n_lineages, rank = 1; i-- > 0 && rank <= n;) {
		if (i == champion)
			continue;
		draw -= 1.0 / (double)rank++;
		if (draw <= 0)
			return i;
	}
	return champion;
}

size_t selection_choose(const struct population *p, size_t live,
			struct random *r)
{
	size_t others = p->n_lineages - 1;
	size_t champion = champions_lineage(p);
	size_t newest = p->n_lineages - 1;

	if (p->n_lineages < 2)
		return champion;
	if (newest != champion &&
	    p->lineage[newest].attempts < YOUNG_ATTEMPTS &&
	    random_unit(r) < YOUNG_SHARE)
		return newest;
	if (random_unit(r) < CHAMPION_SHARE)
		return champion;
	return draw_other(p, r, champion,
			  live ? MIN(others, live - 1) : others);
}
