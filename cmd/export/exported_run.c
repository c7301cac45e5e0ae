#include "cmd/export/exported_run.h"

#include <math.h>

#include "cmd/ui/attempt_json.h"
#include "cmd/ui/out.h"

void exported_run_release(struct exported_run *w)
{
	population_release(&w->p);
	free(w->best);
}

/* Of the attempts until then: what was crowned later than the attempt may be one of
 * them, since a final may crown an earlier one. */
static void find_best(struct exported_run *w)
{
	double best = 1;

	w->best = xcalloc(w->p.n, sizeof *w->best);
	for (size_t i = 0; i < w->p.n; i++) {
		const struct attempt *a = &w->p.attempt[i];

		if ((a->crowned || (i && i == w->p.champion)) &&
		    isfinite(a->gain))
			best = MAX(best, attempt_speedup(a));
		w->best[i] = best;
	}
}

struct error *exported_run_read(struct exported_run *out, struct session *s,
				const char *run)
{
	*out = (struct exported_run){.session = s, .run = run};
	TRY(gitstore_population(&out->p, s->git, run));
	if (!out->p.n)
		return error_new(ERROR_NOT_FOUND,
				 "export: run %s has no attempt here: `avogit "
				 "sync` brings its journal",
				 run);
	find_best(out);
	out->running = gitstore_run_holder(s->git, run) > 0;
	return NULL;
}

struct error *exported_run_measurement(const struct measurement **out,
				       struct measurement **whole,
				       const struct exported_run *w,
				       const struct attempt *a)
{
	if (a->measurement)
		TRY(gitstore_recall(whole, w->session->git, a));
	*out = *whole ? *whole : a->measurement;
	return NULL;
}

/* ---- a line an attempt --------------------------------------------------- */

static struct json *cases_json(const struct measurement *m)
{
	struct json *list = json_array();

	for (size_t i = 0; i < m->n_cases; i++) {
		const struct case_result *c = &m->cases[i];
		struct json *j = json_object();

		json_set_string(j, "case", c->name);
		if (c->seconds > 0)
			json_set_double(j, "seconds", c->seconds);
		json_set_double(j, "rate", c->rate);
		json_set_double(j, "error", c->error);
		json_push(list, j);
	}
	return list;
}

static void set_win(struct json *j, const struct win *won)
{
	if (!(won->ratio > 0))
		return;
	json_set_int(j, "won_over", won->over);
	json_set_double(j, "won_by", won->ratio);
	json_set_double(j, "won_low", won->ratio95.lo);
	json_set_double(j, "won_high", won->ratio95.hi);
}

static struct error *add_line(struct buf *out, const struct exported_run *w,
			      size_t i)
{
	const struct attempt *a = &w->p.attempt[i];
	cleanup_measurement struct measurement *whole = NULL;
	cleanup_json struct json *j = out_json_new();
	const struct measurement *m = NULL;
	cleanup_free char *text = NULL;

	TRY(exported_run_measurement(&m, &whole, w, a));
	json_set_string(j, "run", w->run);
	attempt_json_add(j, &w->p, a);
	json_set_string(j, "hypothesis", a->hypothesis);
	json_set_double(j, "best", w->best[i]);
	set_win(j, &a->won);
	if (!spend_is_zero(&w->p.spend)) {
		json_set_double(j, "tokens", a->tokens);
		json_set_double(j, "dollars", a->dollars);
	}
	if (m)
		json_set(j, "cases", cases_json(m));
	text = json_print_ascii(j);
	buf_addf(out, "%s\n", text);
	return NULL;
}

struct error *exported_run_lines(struct buf *out, const struct exported_run *w)
{
	for (size_t i = 0; i < w->p.n; i++)
		TRY(add_line(out, w, i));
	return NULL;
}
