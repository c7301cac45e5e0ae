/*
 * A run as OpenMetrics: what it is now, for a collector that keeps what was.
 * Only of the types that Prometheus' own text has too (gauge, counter), since the
 * collector of node_exporter reads that; and without times of samples, which it
 * refuses.
 */
#include <math.h>

#include "cmd/export/exported_run.h"
#include "cmd/ui/attempt_json.h"
#include "cmd/ui/out.h"
#include "core/run/outcome.h"

struct metrics {
	struct buf *out;
	const struct exported_run *w;
	const char *family;
	bool counter;
};

static void begin(struct metrics *m, const char *type, const char *family,
		  const char *help)
{
	m->family = family;
	m->counter = str_eq(type, "counter");
	buf_addf(m->out, "# TYPE avogit_%s %s\n# HELP avogit_%s %s\n", family,
		 type, family, help);
}

static void add_label(struct buf *out, const char *key, const char *value)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean_line(&clean, value);
	buf_addf(out, ",%s=\"", key);
	for (const char *c = clean.data; *c; c++) {
		if (*c == '"' || *c == '\\')
			buf_addc(out, '\\');
		buf_addc(out, *c);
	}
	buf_addc(out, '"');
}

static void begin_sample(struct metrics *m)
{
	buf_addf(m->out, "avogit_%s%s{run=\"%s\"", m->family,
		 m->counter ? "_total" : "", m->w->run);
}

static void end_sample(struct metrics *m, double value)
{
	buf_addf(m->out, "} %.17g\n", value);
}

static void add_one(struct metrics *m, double value)
{
	begin_sample(m);
	end_sample(m, value);
}

static void add_labelled(struct metrics *m, const char *key, const char *label,
			 double value)
{
	begin_sample(m);
	add_label(m->out, key, label);
	end_sample(m, value);
}

static void one(struct metrics *m, const char *type, const char *family,
		const char *help, double value)
{
	if (!isfinite(value))
		return;
	begin(m, type, family, help);
	add_one(m, value);
}

/* ---- of the run ---------------------------------------------------------- */

static void add_details(struct metrics *m)
{
	const struct population *p = &m->w->p;
	const char *const labels[][2] = {
		{"task", p->record.task_path},
		{"machine", p->record.machine_name},
		{"operator", p->operator_name},
		{"stopped", m->w->running ? NULL : p->stop_reason},
	};

	begin(m, "gauge", "run_details", "What the run is; always 1.");
	begin_sample(m);
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		if (labels[i][1])
			add_label(m->out, labels[i][0], labels[i][1]);
	end_sample(m, 1);
}

static void add_state(struct metrics *m)
{
	const struct population *p = &m->w->p;

	one(m, "gauge", "run_active",
	    "1 while a process of this machine extends the run.",
	    m->w->running);
	one(m, "gauge", "run_start_time_seconds",
	    "When the run began, in seconds since 1970.",
	    (double)p->attempt[0].time_us / 1e6);
	one(m, "gauge", "run_last_entry_time_seconds",
	    "When the run last wrote what it did, in seconds since 1970.",
	    (double)p->time_us / 1e6);
	one(m, "counter", "run_work_seconds",
	    "Seconds that the run has worked, as its limit counts them.",
	    p->spent_seconds);
	one(m, "counter", "run_interventions",
	    "How often its supervisor stepped in.", (double)p->interventions);
	one(m, "gauge", "run_attempts_since_gain",
	    "Attempts measured since the last that was kept.",
	    (double)p->since_gain);
}

static void add_attempts(struct metrics *m)
{
	const struct population *p = &m->w->p;
	size_t count[OUTCOME_COUNT] = {0};

	for (size_t i = 0; i < p->n; i++)
		count[attempt_outcome(p, &p->attempt[i])]++;
	/* Not a counter: what is the champion is only kept, later. */
	begin(m, "gauge", "run_attempts",
	      "Attempts by their outcome, the start among them.");
	for (enum attempt_outcome o = 0; o < OUTCOME_COUNT; o++)
		add_labelled(m, "outcome", outcome_name(o), (double)count[o]);
}

static void add_champion(struct metrics *m)
{
	const struct population *p = &m->w->p;
	const struct attempt *a = &p->attempt[p->champion];

	one(m, "gauge", "champion_attempt",
	    "The number of the champion; 0: the start.", (double)a->number);
	one(m, "gauge", "champion_speedup",
	    "How many times faster the champion is than the start.",
	    attempt_speedup(a));
	if (!attempt_passes(a))
		return;
	begin(m, "gauge", "champion_score", "The score of the champion.");
	add_labelled(m, "unit", attempt_json_unit(a->measurement),
		     a->measurement->score);
}

static void add_spend(struct metrics *m)
{
	const struct spend *s = &m->w->p.spend;

	if (spend_is_zero(s))
		return;
	one(m, "counter", "model_turns", "Replies of models.",
	    (double)s->turns);
	begin(m, "counter", "model_tokens", "Tokens of models, by direction.");
	add_labelled(m, "direction", "in", (double)s->tokens_in);
	add_labelled(m, "direction", "out", (double)s->tokens_out);
	one(m, "counter", "model_tokens_cached",
	    "Tokens of those in that a cache held.", (double)s->tokens_hit);
	one(m, "counter", "model_dollars",
	    "What the models cost, as far as their price is known.",
	    s->dollars);
	one(m, "counter", "gpu_seconds", "Seconds of a card that it took.",
	    s->gpu_seconds);
}

struct error *exported_run_openmetrics(struct buf *out,
				       const struct exported_run *w)
{
	struct metrics m = {.out = out, .w = w};

	add_details(&m);
	add_state(&m);
	add_attempts(&m);
	add_champion(&m);
	add_spend(&m);
	buf_adds(out, "# EOF\n");
	return NULL;
}
