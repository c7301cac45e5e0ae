#include "scorer/turns.h"

#include "scorer/set.h"

/* So many that each kind has a turn. */
static size_t hidden_count(const struct task *t)
{
	size_t declared = MIN(t->n_cases, MIXED_FILLS);

	return t->hidden ? MAX(t->hidden_count, MIXED_FILLS - declared) : 0;
}

void turns_draw(struct turns *out, const struct task *t, double *case_error,
		struct secret_random *secret)
{
	enum fill fills[MIXED_FILLS];

	mixed_fills_draw(fills, secret);
	*out = (struct turns){.n = t->n_cases + hidden_count(t)};
	out->turn = xcalloc(out->n, sizeof *out->turn);
	for (size_t i = 0; i < out->n; i++) {
		struct turn *turn = &out->turn[i];

		turn->mixed = fills[i % MIXED_FILLS];
		if (i < t->n_cases) {
			turn->c = &t->cases[i];
			turn->worst = &case_error[i];
			continue;
		}
		task_draw_hidden(&turn->hidden, t, secret);
		turn->c = &turn->hidden;
		turn->worst = &out->hidden_error;
	}
}

void turns_release(struct turns *t)
{
	for (size_t i = 0; i < t->n; i++)
		task_case_release(&t->turn[i].hidden);
	free(t->turn);
	*t = (struct turns){0};
}
