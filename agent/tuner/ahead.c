#include "agent/tuner/ahead.h"

/* Most points that wait; above it, points of other lineages are dropped,
 * because those lineages may have been given up. */
#define MOST_WAITING (4 * TUNER_AHEAD)

void tuner_ahead_init(struct tuner_ahead *a, size_t dims)
{
	*a = (struct tuner_ahead){.dims = dims};
}

static void asked_release(struct asked_point *p)
{
	free(p->point);
	free(p->around);
}

void tuner_ahead_release(struct tuner_ahead *a)
{
	for (size_t i = 0; i < a->n; i++)
		asked_release(&a->asked[i]);
	free(a->asked);
	tuner_ahead_init(a, a->dims);
}

static void take_out(struct tuner_ahead *a, size_t i)
{
	asked_release(&a->asked[i]);
	a->n--;
	memmove(&a->asked[i], &a->asked[i + 1], (a->n - i) * sizeof *a->asked);
}

/* Drops a point, so that it may be asked again. */
static void drop(struct tuner_ahead *a, struct tuner_search *s, size_t i)
{
	search_withdraw(s, a->asked[i].point);
	take_out(a, i);
}

static bool is_around(const struct tuner_ahead *a, const struct asked_point *p,
		      const size_t *around)
{
	if (!p->around || !around)
		return !p->around && !around;
	return memcmp(p->around, around, a->dims * sizeof *around) == 0;
}

static void drop_stale(struct tuner_ahead *a, struct tuner_search *s,
		       const struct tuner_wish *wish)
{
	for (size_t i = a->n; i-- > 0;) {
		const struct asked_point *p = &a->asked[i];

		if (search_was_told(s, p->point) ||
		    (p->lineage == wish->lineage &&
		     !is_around(a, p, wish->around)))
			drop(a, s, i);
	}
}

/* Index of the oldest point of the lineage; a->n if there is none. */
static size_t oldest(const struct tuner_ahead *a, int64_t lineage)
{
	size_t i = 0;

	while (i < a->n && a->asked[i].lineage != lineage)
		i++;
	return i;
}

static size_t count(const struct tuner_ahead *a, int64_t lineage)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		n += a->asked[i].lineage == lineage;
	return n;
}

static void drop_others(struct tuner_ahead *a, struct tuner_search *s,
			int64_t lineage, size_t most)
{
	for (size_t i = 0; i < a->n && a->n > most;)
		if (a->asked[i].lineage != lineage)
			drop(a, s, i);
		else
			i++;
}

/* Other lineages may hold the last points: drops those and asks again. */
static bool ask(struct tuner_ahead *a, struct tuner_search *s,
		const struct tuner_wish *wish, size_t *point,
		const char **reason)
{
	if (search_ask(s, point, wish->around, reason))
		return true;
	if (!a->n)
		return false;
	drop_others(a, s, wish->lineage, 0);
	return search_ask(s, point, wish->around, reason);
}

void tuner_ahead_ask(struct tuner_ahead *a, struct tuner_search *s,
		     const struct tuner_wish *wish)
{
	size_t bytes = a->dims * sizeof(size_t);
	cleanup_free size_t *point = xcalloc(a->dims, sizeof *point);
	const char *reason;

	while (count(a, wish->lineage) < wish->ahead &&
	       search_ask(s, point, wish->around, &reason)) {
		drop_others(a, s, wish->lineage, MOST_WAITING - 1);
		search_expect(s, point, true);
		GROW(a->asked, a->n, a->cap);
		a->asked[a->n++] = (struct asked_point){
			.point = xmemdup(point, bytes),
			.around = wish->around ? xmemdup(wish->around, bytes)
					       : NULL,
			.reason = reason,
			.lineage = wish->lineage,
		};
	}
}

bool tuner_ahead_take(struct tuner_ahead *a, struct tuner_search *s,
		      const struct tuner_wish *wish, size_t *point,
		      const char **reason)
{
	size_t i;

	drop_stale(a, s, wish);
	i = oldest(a, wish->lineage);
	if (i < a->n) {
		memcpy(point, a->asked[i].point, a->dims * sizeof *point);
		*reason = a->asked[i].reason;
		take_out(a, i);
	} else if (!ask(a, s, wish, point, reason)) {
		return false;
	}
	/* Its result is known before points asked now are tried. */
	search_expect(s, point, wish->ahead > 0);
	tuner_ahead_ask(a, s, wish);
	search_expect(s, point, false);
	return true;
}
