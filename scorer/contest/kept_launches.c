#include "scorer/contest/kept_launches.h"

#include <math.h>
#include <unistd.h>

static void drop(struct kept_launch *l)
{
	cleanup_fd_fn(&l->capture);
	cleanup_fd_fn(&l->other);
	l->number = 0;
}

void kept_init(struct kept *k, const struct task *t)
{
	k->n_cases = t->n_cases;
	k->places =
		KEPT_DRAWN + (t->check + t->n_cases - 1) / MAX(t->n_cases, 1);
	k->of = xcalloc(MAX(k->n_cases, 1), sizeof *k->of);
	for (size_t i = 0; i < k->n_cases; i++) {
		k->of[i].fastest = HUGE_VAL;
		k->of[i].launch = xcalloc(k->places, sizeof *k->of[i].launch);
		for (size_t p = 0; p < k->places; p++)
			k->of[i].launch[p].capture = k->of[i].launch[p].other =
				-1;
	}
}

void kept_release(struct kept *k)
{
	for (size_t i = 0; k->of && i < k->n_cases; i++) {
		for (size_t p = 0; p < k->places; p++)
			drop(&k->of[i].launch[p]);
		free(k->of[i].launch);
	}
	free(k->of);
	*k = (struct kept){0};
}

/* Algorithm R: the launch that is the n-th stays with probability places / n,
 * in the place of any. */
static size_t draw_place(struct kept *k, struct kept_case *c,
			 struct secret_random *secret)
{
	size_t drawn = k->places - KEPT_DRAWN;
	size_t at = c->seen;

	if (c->seen >= drawn)
		at = (size_t)secret_below(secret, c->seen + 1);
	c->seen++;
	return KEPT_DRAWN + at;
}

size_t kept_places(size_t *place, struct kept *k, size_t which, double pace,
		   double most, struct secret_random *secret)
{
	struct kept_case *c = &k->of[which];
	size_t n = 0, drawn = draw_place(k, c, secret);

	if (pace < c->fastest || !c->launch[KEPT_FASTEST].number) {
		c->fastest = pace;
		place[n++] = KEPT_FASTEST;
	}
	if (most > c->most) {
		c->most = most;
		place[n++] = KEPT_UNLIKE;
	}
	if (drawn < k->places)
		place[n++] = drawn;
	return n;
}

struct kept_launch *kept_put(struct kept *k, size_t which, size_t place,
			     const struct input_set *s, uint32_t index,
			     const struct unlike *unlike)
{
	struct kept_launch *l = &k->of[which].launch[place];

	drop(l);
	*l = (struct kept_launch){.number = k->of[which].seen,
				  .set = *s,
				  .index = index,
				  .unlike = *unlike,
				  .capture = -1,
				  .other = -1};
	l->set.fd = -1;
	return l;
}

void kept_draw_whole(struct kept *k, size_t n, bool all,
		     struct secret_random *secret)
{
	size_t many = k->n_cases * k->places;
	cleanup_free size_t *order = xcalloc(MAX(many, 1), sizeof *order);

	for (size_t i = 0; i < many; i++)
		order[i] = i;
	secret_shuffle(secret, order, many);
	for (size_t i = 0; i < many; i++) {
		size_t place = order[i] % k->places;
		struct kept_launch *l =
			&k->of[order[i] / k->places].launch[place];

		l->whole = all;
		if (!n || !l->number || place == KEPT_UNLIKE)
			continue;
		l->whole = true;
		n--;
	}
}

bool kept_was_checked(const struct kept *k, size_t which, size_t place)
{
	const struct kept_launch *l = k->of[which].launch;

	for (size_t p = 0; p < k->places; p++)
		if (p != place && l[p].checked && l[p].whole &&
		    l[p].number == l[place].number)
			return true;
	return false;
}
