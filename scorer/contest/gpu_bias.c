/* What else than the candidate can have made a gain on the GPU. */
#include <math.h>

#include "scorer/contest/gpu_contest_internal.h"

/* Class isolated: the way there and back is part of the time, and some of it
 * is spent in a process that the candidate shares. Replacing the wait there
 * by nothing was told faster; no more than half could be gained so. */
#define SHAVED 0.5

static double shaving(char **why, const struct gpu_contest *f)
{
	const struct contest *c = f->contest;
	double worst = 0;

	for (size_t i = 0; gpu_contest_isolated(f) && i < c->sc->task->n_cases;
	     i++) {
		double seconds =
			stats_median(c->seconds[i].value, c->seconds[i].n);

		if (seconds > 0)
			worst = MAX(worst, c->case_overhead[i] / seconds);
	}
	if (worst <= 0)
		return 0;
	*why = xasprintf("%.0f %% of a launch are handing inputs over and "
			 "taking outputs (class isolated)",
			 100 * worst);
	return -log1p(-MIN(SHAVED * worst, 0.9));
}

static double heat(char **why, const struct gpu_contest *f)
{
	return gpu_watch_bias(why, &f->watch);
}

double gpu_contest_bias(char **why, const struct gpu_contest *f)
{
	static double (*const parts[])(char **, const struct gpu_contest *) = {
		heat, gpu_hidden_bias, gpu_ahead_bias, shaving};
	double bias = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		cleanup_free char *reason = NULL;
		double one = parts[i](&reason, f);

		if (one <= bias)
			continue;
		free(*why);
		*why = steal(&reason);
		bias = one;
	}
	return bias;
}
