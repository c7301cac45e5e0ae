/* The verdict of the gate, as Markdown and as JSON. It is posted where others
 * read it, and what a candidate or a compiler says is hostile text. */
#include "cmd/gate/gate.h"

#include "cmd/ui/markdown.h"
#include "cmd/ui/out.h"

#define MAX_LOG	  4000 /* bytes of a log */
#define MAX_PATHS 20   /* more are counted */

static void add_paths(struct buf *out, const struct strvec *paths)
{
	for (size_t i = 0; i < MIN(paths->n, MAX_PATHS); i++) {
		buf_adds(out, i ? ", " : "");
		markdown_add_code(out, paths->v[i]);
	}
	if (paths->n > MAX_PATHS)
		buf_addf(out, " and %zu more", paths->n - MAX_PATHS);
}

static void add_cases(struct buf *out, const struct measurement *m)
{
	const struct comparison *c = gate_comparison(m);

	if (!c || !m->n_cases || c->n_cases < m->n_cases)
		return;
	buf_adds(out, "\n| case | HEAD | speed relative to BASE |\n"
		      "| --- | --- | --- |\n");
	for (size_t i = 0; i < m->n_cases; i++) {
		char rate[RATE_TEXT];

		measurement_format(rate, sizeof rate, m, m->cases[i].rate);
		buf_adds(out, "| ");
		markdown_add_code(out, m->cases[i].name);
		buf_adds(out, " | ");
		markdown_add_code(out, rate);
		buf_addf(out, " | %.3fx |\n", c->case_ratio[i]);
	}
}

static void add_conditions(struct buf *out, const struct measurement *m)
{
	static const char *const keys[] = {"cpu",     "gpu",	  "compiler",
					   "sandbox", "unsteady", "unsanitized",
					   DOUBT_KEY};
	const struct comparison *c = gate_comparison(m);
	char share[32];

	buf_addf(out, "\nClass %s, scorer %s", trust_class_name(m->trust),
		 m->identity.scorer);
	if (c)
		buf_addf(out, ", %zu blocks", c->blocks);
	measurement_format_percent(share, sizeof share, m->noise);
	if (m->noise > 0)
		buf_addf(out, ", noise %s", share);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *value = measurement_get(m, keys[i]);

		if (!value)
			continue;
		buf_addf(out, ", %s ", keys[i]);
		markdown_add_code(out, value);
	}
	buf_adds(out, ".\n");
}

static void add_kernel(struct buf *out, const struct gate_kernel *k)
{
	const struct measurement *last =
		k->n_measured ? k->measured[k->n_measured - 1] : NULL;

	buf_adds(out, "\n### ");
	markdown_add_code(out, k->task);
	buf_addf(out, ": %s\n\n", gate_answer_name(k->answer));
	for (size_t i = 0; i < k->reasons.n; i++)
		buf_addf(out, "- %s\n", k->reasons.v[i]);
	if (k->trusted_changed.n) {
		buf_adds(out, "- what measures and is another in HEAD: ");
		add_paths(out, &k->trusted_changed);
		buf_adds(out, "\n");
	}
	if (!last)
		return;
	add_cases(out, last);
	if (last->log)
		markdown_add_block(out, last->log, MAX_LOG);
	add_conditions(out, last);
}

static const char *title(enum gate_answer a, const struct gate_change *g)
{
	if (!g->n)
		return "no kernel is affected";
	if (a == GATE_YES)
		return "not slower, and right";
	return a == GATE_NO ? "slower, wrong, or a claim that does not hold"
			    : "not decided";
}

static void add_lists(struct buf *out, const struct gate_change *g)
{
	if (g->added.n) {
		buf_adds(out, "\nTask files that only HEAD has, whose kernels "
			      "were not measured: ");
		add_paths(out, &g->added);
		buf_adds(out, ".\n");
	}
	for (size_t i = 0; i < MIN(g->unusable.n, MAX_PATHS); i++)
		buf_addf(out, "\nA task of BASE that cannot be used: %s\n",
			 g->unusable.v[i]);
	if (!g->descends)
		buf_adds(out, "\nHEAD does not descend from BASE, so it lacks "
			      "what BASE has besides: compare a merge of the "
			      "two with BASE.\n");
}

void gate_markdown(struct buf *out, const struct gate_change *g,
		   const struct gate_rules *rules)
{
	enum gate_answer answer = gate_answer(g);

	buf_addf(out, "## avogit gate: %s\n\n", title(answer, g));
	buf_addf(out, "BASE %.12s, HEAD %.12s; affected: %zu of %zu task%s.",
		 g->base.hex, g->head.hex, g->n, g->n_tasks,
		 g->n_tasks == 1 ? "" : "s");
	if (rules->allow > 0)
		buf_addf(out, " A loss of %.3g %% passes.", rules->allow * 100);
	buf_adds(out, "\n");
	for (size_t i = 0; i < g->n; i++)
		add_kernel(out, &g->kernel[i]);
	add_lists(out, g);
}

/* ---- JSON ---------------------------------------------------------------- */

static struct json *kernel_json(const struct gate_kernel *k)
{
	struct json *j = json_object();
	struct json *measured = json_array();

	json_set_string(j, "task", k->task);
	json_set_string(j, "answer", gate_answer_name(k->answer));
	json_set(j, "reasons", json_strings(&k->reasons));
	json_set_bool(j, "sources_changed", k->sources_changed);
	json_set(j, "trusted_changed", json_strings(&k->trusted_changed));
	json_set_string(j, "base_fails", k->base_fails);
	for (size_t i = 0; i < k->n_measured; i++)
		if (k->measured[i])
			json_push(measured,
				  measurement_to_json(k->measured[i]));
	json_set(j, "measurements", measured);
	return j;
}

struct json *gate_json(const struct gate_change *g)
{
	struct json *j = out_json_new();
	struct json *kernels = json_array();

	for (size_t i = 0; i < g->n; i++)
		json_push(kernels, kernel_json(&g->kernel[i]));
	json_set_string(j, "base", g->base.hex);
	json_set_string(j, "head", g->head.hex);
	json_set_bool(j, "descends", g->descends);
	json_set_string(j, "answer", gate_answer_name(gate_answer(g)));
	json_set_int(j, "tasks", (int64_t)g->n_tasks);
	json_set(j, "kernels", kernels);
	json_set(j, "added", json_strings(&g->added));
	json_set(j, "unusable", json_strings(&g->unusable));
	return j;
}
