#include "scorer/tries.h"

#include <math.h>

void tries_release(struct tries *t)
{
	free(t->case_log);
	t->case_log = NULL;
}

void tries_add(struct tries *t, const struct comparison *c, double alike)
{
	size_t n = t->told.n;

	sessions_add(&t->told, c);
	if (t->told.n == n)
		return;
	t->alike[n] = alike;
	t->blocks += c->blocks;
	t->n_cases = c->n_cases;
	if (!t->case_log)
		t->case_log = xcalloc(t->n_cases, sizeof *t->case_log);
	for (size_t i = 0; i < t->n_cases; i++)
		t->case_log[i] += log(c->case_ratio[i]);
}

/* An upper end of an interval is large by luck in some sessions: of what they may
 * have alike the median says enough. */
bool tries_agree(const struct tries *t)
{
	double low;

	if (!sessions_above(&t->told, 0))
		return false;
	low = log(sessions_low(&t->told));
	return low > 0 && low > stats_median(t->alike, t->told.n);
}

void tries_tell(struct measurement *m, const struct tries *t)
{
	struct comparison *out = &m->comparisons[0];
	char text[32];

	sessions_combine(&out->ratio, &out->ratio95, &t->told);
	out->decision = out->ratio95.lo > 1 ? DECISION_FASTER : DECISION_NONE;
	out->blocks = t->blocks;
	out->worst_case = HUGE_VAL;
	for (size_t i = 0; i < t->n_cases; i++) {
		out->case_ratio[i] = exp(t->case_log[i] / (double)t->told.n);
		out->worst_case = MIN(out->worst_case, out->case_ratio[i]);
	}
	snprintf(text, sizeof text, "%zu", t->told.n);
	measurement_set(m, "sessions", text);
}
