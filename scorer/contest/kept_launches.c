#include "scorer/contest/kept_launches.h"

#include <math.h>
#include <unistd.h>

static void drop(struct kept_launch *l)
{
	cleanup_fd_fn(&l->capture);
	cleanup_fd_fn(&l->other);
	l->number = 0;
}

void kept_launches_init(struct kept_launches *k, const struct task *t)
{
	k->n_cases = t->n_cases;
	k->entries =
		KEPT_DRAWN + (t->check + t->n_cases - 1) / MAX(t->n_cases, 1);
	k->of = xcalloc(MAX(k->n_cases, 1), sizeof *k->of);
	for (size_t i = 0; i < k->n_cases; i++) {
		k->of[i].fastest = HUGE_VAL;
		k->of[i].launch = xcalloc(k->entries, sizeof *k->of[i].launch);
		for (size_t p = 0; p < k->entries; p++)
			k->of[i].launch[p].capture = k->of[i].launch[p].other =
				-1;
	}
}

void kept_launches_release(struct kept_launches *k)
{
	for (size_t i = 0; k->of && i < k->n_cases; i++) {
		for (size_t p = 0; p < k->entries; p++)
			drop(&k->of[i].launch[p]);
		free(k->of[i].launch);
	}
	free(k->of);
	*k = (struct kept_launches){0};
}

/* Algorithm R: the n-th launch is kept with probability entries / n, and
 * replaces a random entry. */
static size_t draw_entry(struct kept_launches *k, struct kept_case *c,
			 struct secret_random *secret)
{
	size_t drawn = k->entries - KEPT_DRAWN;
	size_t at = c->seen;

	if (c->seen >= drawn)
		at = (size_t)secret_below(secret, c->seen + 1);
	c->seen++;
	return KEPT_DRAWN + at;
}

size_t kept_launches_choose(size_t *entry, struct kept_launches *k,
			    size_t which, double pace, double most,
			    struct secret_random *secret)
{
	struct kept_case *c = &k->of[which];
	size_t n = 0, drawn = draw_entry(k, c, secret);

	if (pace < c->fastest || !c->launch[KEPT_FASTEST].number) {
		c->fastest = pace;
		entry[n++] = KEPT_FASTEST;
	}
	if (most > c->most) {
		c->most = most;
		entry[n++] = KEPT_UNLIKE;
	}
	if (drawn < k->entries)
		entry[n++] = drawn;
	return n;
}

struct kept_launch *kept_launches_put(struct kept_launches *k, size_t which,
				      size_t entry, const struct input_set *s,
				      uint32_t index,
				      const struct unlike *unlike)
{
	struct kept_launch *l = &k->of[which].launch[entry];

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

void kept_launches_draw_whole(struct kept_launches *k, size_t n, bool all,
			      struct secret_random *secret)
{
	size_t many = k->n_cases * k->entries;
	cleanup_free size_t *order = xcalloc(MAX(many, 1), sizeof *order);

	for (size_t i = 0; i < many; i++)
		order[i] = i;
	secret_shuffle(secret, order, many);
	for (size_t i = 0; i < many; i++) {
		size_t entry = order[i] % k->entries;
		struct kept_launch *l =
			&k->of[order[i] / k->entries].launch[entry];

		l->whole = all;
		if (!n || !l->number || entry == KEPT_UNLIKE)
			continue;
		l->whole = true;
		n--;
	}
}

bool kept_launches_was_checked(const struct kept_launches *k, size_t which,
			       size_t entry)
{
	const struct kept_launch *l = k->of[which].launch;

	for (size_t p = 0; p < k->entries; p++)
		if (p != entry && l[p].checked && l[p].whole &&
		    l[p].number == l[entry].number)
			return true;
	return false;
}
