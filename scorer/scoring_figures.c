/* What a measurement says of a candidate that was timed: seconds, rates, what of
 * a launch is not the kernel's, and what the figures depend on. */
#include "scorer/contest/gpu_contest.h"
#include "scorer/contest/series.h"
#include "scorer/scoring.h"

/* Per CPU: several times what any core does, so that more is not a measurement. */
#define IMPOSSIBLE_FLOPS 2e13
#define IMPOSSIBLE_BYTES 4e12
/* A larger share of a launch that is not the kernel's is worth a warning. */
#define FIXED_SHARE 0.1

/* The share of a hand-over that is not the kernel's: all of it where one that does
 * nothing took longer by chance. */
static double fixed_share(const struct case_result *r)
{
	return MIN((r->overhead + r->fixed) / (r->seconds + r->fixed), 1);
}

static char *fixed_words(const struct case_result *r)
{
	char percent[32], off[32];

	measurement_format_percent(percent, sizeof percent, fixed_share(r));
	if (!(r->fixed > 0))
		return xasprintf("%s of a launch in case %s are handing inputs "
				 "over and taking outputs, the same for all: "
				 "ratios are nearer to 1 than those of the "
				 "kernels alone%s",
				 percent, r->name,
				 fixed_share(r) > SERIES_FIXED_MOST
					 ? ", and only those of whole launches "
					   "are said"
					 : "");
	measurement_format_percent(off, sizeof off,
				   r->fixed_error / r->seconds);
	return xasprintf("in case %s %s of what was timed were handing inputs "
			 "over and taking outputs; that was taken off, so the "
			 "time is right to %s at best",
			 r->name, percent, off);
}

/* Of the case with the largest share. */
static void tell_fixed(struct measurement *m)
{
	const struct case_result *worst = NULL;
	cleanup_free char *text = NULL;

	for (size_t i = 0; i < m->n_cases; i++)
		if (!worst || fixed_share(&m->cases[i]) > fixed_share(worst))
			worst = &m->cases[i];
	if (!worst || fixed_share(worst) <= FIXED_SHARE)
		return;
	text = fixed_words(worst);
	measurement_set(m, "fixed", text);
}

/* Is the work, as the task states it, more than any machine does in the time? */
static struct error *check_possible(struct measurement *m, const struct task *t,
				    const struct task_case *tc, double seconds)
{
	const struct expr *e = t->flops ? t->flops : t->bytes;
	double most = t->flops ? IMPOSSIBLE_FLOPS : IMPOSSIBLE_BYTES;
	int64_t work;

	if (!e || t->language == LANGUAGE_CUDA)
		return NULL;
	TRY(error_wrap(task_eval(&work, e, t, tc), "%s: case %s", t->path,
		       tc->name));
	if ((double)work / seconds > most * (double)MAX(t->threads, 1U))
		measurement_fail(m, VERDICT_IMPOSSIBLE,
				 "%.3g /s in case %s: no machine does that",
				 (double)work / seconds, tc->name);
	return NULL;
}

/* What is fixed is taken off, unless that would be most of it. */
static void set_seconds(struct case_result *r, const struct contest *c,
			size_t which)
{
	const struct samples *s = &c->seconds[which];
	double whole = stats_median(s->value, s->n);
	double fixed = series_fixed(c, which);

	r->seconds = whole;
	r->spread = (stats_quantile(s->value, s->n, 0.75) -
		     stats_quantile(s->value, s->n, 0.25)) /
		    2 / whole;
	r->launches = s->n * MAX(c->in_series[which], 1U);
	if (c->gpu || fixed > SERIES_FIXED_MOST * whole) {
		r->overhead = fixed;
		return;
	}
	r->fixed = fixed;
	r->fixed_error = series_fixed_error(c, which);
	r->seconds -= fixed;
	r->spread *= whole / r->seconds;
}

struct error *score_cases(struct measurement *m, struct contenders *f,
			  const struct contest *c)
{
	const struct task *t = f->scorer->task;
	cleanup_free double *rate = xcalloc(t->n_cases, sizeof *rate);
	cleanup_free double *weight = xcalloc(t->n_cases, sizeof *weight);
	cleanup_free struct timed_case *timed =
		xcalloc(t->n_cases, sizeof *timed);

	for (size_t i = 0; i < t->n_cases; i++) {
		const struct task_case *tc = &t->cases[i];
		struct case_result *r = measurement_add_case(m, tc->name);
		double work;

		TRY(task_work(&work, &m->rate_is_bytes, t, tc));
		r->weight = weight[i] = tc->weight;
		r->error = f->case_error[i];
		set_seconds(r, c, i);
		timed[i] = (struct timed_case){work, series_own(c, i),
					       c->seconds[i].n};
		r->rate = rate[i] = work / r->seconds;
		TRY(score_against_card(m, r, f->scorer, tc));
		TRY(check_possible(m, t, tc, r->seconds));
	}
	if (m->verdict == VERDICT_PASS)
		m->score = stats_geomean(rate, weight, t->n_cases);
	tell_fixed(m);
	if (m->verdict == VERDICT_PASS)
		score_doubt(m, t, timed);
	return NULL;
}

void score_set_number(struct measurement *m, const char *key, double v,
		      const char *unit)
{
	cleanup_free char *text = xasprintf("%.0f%s", v, unit);

	measurement_set(m, key, text);
}

static void set_unit(struct measurement *m, const struct task *t)
{
	double size = unit_size(t->unit ? t->unit : "",
				t->quantity ? t->quantity : "OPS");
	char text[32];

	if (task_is_reported(t)) /* it is said in the unit already */
		size = 1;

	if (!t->unit)
		return;
	measurement_set(m, UNIT_KEY, t->unit);
	snprintf(text, sizeof text, "%g", size);
	if (size > 0)
		measurement_set(m, UNIT_SIZE_KEY, text);
}

void score_environment(struct measurement *m, const struct scorer *s,
		       const struct build *b)
{
	const struct machine *machine = &s->machine;

	for (size_t i = 0; i < machine->n_facts; i++)
		measurement_set(m, machine->fact[i].key,
				machine->fact[i].value);
	measurement_set(m, "machine", machine->name);
	set_unit(m, s->task);
	measurement_set(m, "sandbox", sandbox_describe(s->scoring.sandbox));
	score_set_number(m, "load", machine_load(), "");
	if (task_is_reported(s->task)) {
		if (s->task->score.lower_is_better)
			measurement_set(m, BETTER_KEY, BETTER_LOWER);
		return;
	}
	measurement_set(m, "compiler", builder_compiler(s->builder));
	measurement_set(m, "flags", b->flags);
	if (builder_arch(s->builder))
		measurement_set(m, "arch", builder_arch(s->builder));
	if (s->task->language == LANGUAGE_CUDA && s->task->cache == CACHE_WARM)
		measurement_set(m, "cache", "warm");
	if (b->n_cubins)
		measurement_set(m, "cubins", b->cubins_id);
	score_set_number(m, "threads", (double)s->task->threads, "");
	score_set_number(m, "check", (double)s->task->check, "");
}

void score_libraries(struct measurement *m, const struct contenders *f)
{
	const struct scorer *s = f->scorer;

	for (size_t i = 0; i < f->n_baselines; i++) {
		const char *said = builder_libraries(s->builder, i);
		cleanup_free char *key =
			xasprintf("library.%s", s->task->baselines[i].name);

		if (*said)
			measurement_set(m, key, said);
	}
}
