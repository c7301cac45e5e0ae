#include "scorer/host/kept_plans.h"

static void drop_sets(struct kept_plans *k)
{
	for (size_t s = 0; s < KEPT_SETS; s++) {
		struct kept_set *set = &k->set[s];

		for (size_t i = 0; set->plan && i < k->n_plans; i++)
			cleanup_fd_fn(&set->plan[i]);
		free(set->plan);
		*set = (struct kept_set){.plan = NULL};
	}
	k->n_plans = k->n = 0;
}

void kept_plans_clear(struct kept_plans *k)
{
	drop_sets(k);
	free(k->whose);
	k->whose = NULL;
}

bool kept_plans_know(struct kept_plans *k, const char *whose)
{
	if (k->whose && str_eq(k->whose, whose))
		return true;
	kept_plans_clear(k);
	k->whose = xstrdup(whose);
	return false;
}

void kept_plans_begin(struct kept_plans *k, size_t n_plans)
{
	drop_sets(k);
	k->n_plans = n_plans;
	for (size_t s = 0; s < KEPT_SETS; s++) {
		k->set[s].plan = xcalloc(n_plans, sizeof(int));
		for (size_t i = 0; i < n_plans; i++)
			k->set[s].plan[i] = -1;
	}
}

bool kept_plans_take(struct gpu_addresses *at, int *plan, struct kept_plans *k)
{
	struct kept_set *set;

	if (!k->n)
		return false;
	set = &k->set[--k->n];
	*at = set->at;
	for (size_t i = 0; i < k->n_plans; i++)
		plan[i] = steal_fd(&set->plan[i]);
	return true;
}
