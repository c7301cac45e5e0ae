/* A run as an event file: a step an attempt, its figures as scalars. */
#include <math.h>

#include "cmd/export/event_file.h"
#include "cmd/export/exported_run.h"
#include "core/base/text.h"

/* Each case is two curves. */
#define MAX_SCALARS (2 * MEASUREMENT_MAX_CASES + 8)

struct scalars {
	struct event_scalar list[MAX_SCALARS];
	size_t n;
	struct strvec names; /* of those that are made here */
};

static void scalars_release(struct scalars *s)
{
	strvec_release(&s->names);
}
DEFINE_RELEASE(scalars, struct scalars, scalars_release)

/* What has no value, or no finite one, is a gap of the curve. */
static void add(struct scalars *s, const char *tag, double value)
{
	if (isfinite(value) && s->n < ARRAY_SIZE(s->list))
		s->list[s->n++] =
			(struct event_scalar){.tag = tag, .value = value};
}

/* TensorBoard wants UTF-8, and a tag of one line. */
static void add_of_case(struct scalars *s, const char *group,
			const struct case_result *c, double value)
{
	cleanup_buf struct buf name = BUF_INIT(BUF_LIMIT_TEXT);

	buf_addf(&name, "%s/", group);
	text_add_line(&name, c->name, strlen(c->name));
	/* The list of names may move, the names do not. */
	strvec_push(&s->names, name.data);
	add(s, s->names.v[s->names.n - 1], value);
}

static void add_cases(struct scalars *s, const struct measurement *m)
{
	for (size_t i = 0; i < m->n_cases; i++) {
		const struct case_result *c = &m->cases[i];

		if (c->seconds > 0)
			add_of_case(s, "seconds", c, c->seconds);
		add_of_case(s, "error", c, c->error);
	}
}

static struct error *add_attempt(struct buf *out, const struct exported_run *w,
				 size_t i)
{
	const struct attempt *a = &w->p.attempt[i];
	cleanup_measurement struct measurement *whole = NULL;
	CLEANUP(scalars) struct scalars s = {.names = STRVEC_INIT};
	const struct measurement *m = NULL;

	TRY(exported_run_measurement(&m, &whole, w, a));
	add(&s, "run/best", w->best[i]);
	add(&s, "run/speedup", attempt_speedup(a));
	add(&s, "run/passes", attempt_passes(a));
	if (!spend_is_zero(&w->p.spend)) {
		add(&s, "spent/tokens", a->tokens);
		add(&s, "spent/dollars", a->dollars);
	}
	if (attempt_passes(a)) {
		add(&s, "run/score", m->score);
		add_cases(&s, m);
	}
	event_file_add(out, (double)a->time_us / 1e6, a->number, s.list, s.n);
	return NULL;
}

struct error *exported_run_tensorboard(struct buf *out,
				       const struct exported_run *w)
{
	event_file_begin(out, (double)w->p.attempt[0].time_us / 1e6);
	for (size_t i = 0; i < w->p.n; i++)
		TRY(add_attempt(out, w, i));
	return NULL;
}
