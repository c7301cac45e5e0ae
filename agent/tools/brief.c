/* The task in words. */
#include "agent/tools/internal.h"

#include "core/task/hidden.h"

#include <inttypes.h>

/* "[m,k]" */
static void add_shape(struct buf *out, const struct argument *a)
{
	buf_addc(out, '[');
	for (size_t d = 0; d < a->n_dims; d++)
		buf_addf(out, "%s%s", d ? "," : "", expr_text(a->shape[d]));
	buf_addc(out, ']');
}

static void add_tensor(struct buf *out, const struct argument *a)
{
	static const char *const directions[] = {"in", "out", "inout"};

	buf_addf(out, "%s: %s", a->name, dtype_name(a->dtype));
	add_shape(out, a);
	buf_addf(out, " %s%s",
		 a->passing == PASSED_BACK ? "returned"
					   : directions[a->direction],
		 a->is_static ? " static" : "");
}

static void add_arguments(struct buf *out, const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++) {
		buf_adds(out, i ? ", " : "");
		if (t->argument[i].kind == ARGUMENT_TENSOR)
			add_tensor(out, &t->argument[i]);
		else
			buf_adds(out, t->argument[i].name);
	}
}

static void add_words(struct buf *out, const char *label,
		      const struct strvec *words)
{
	if (!words->n)
		return;
	buf_adds(out, label);
	for (size_t i = 0; i < words->n; i++)
		buf_addf(out, "%s %s", i ? "," : "", words->v[i]);
	buf_addc(out, '\n');
}

/* "m 1..300, k 8..512 step 8" */
static void add_hidden(struct buf *out, const struct task *t)
{
	buf_addf(out,
		 "checked too, drawn for every scoring: %zu shapes at ends, "
		 "around numbers of the sources, and anywhere, of",
		 hidden_total(t));
	for (size_t i = 0; i < t->symbols.n; i++) {
		const struct hidden_range *r = &t->hidden[i];

		buf_addf(out, "%s %s %" PRId64 "..%" PRId64, i ? "," : "",
			 t->symbols.v[i], r->low, r->high);
		if (r->step > 1)
			buf_addf(out, " step %" PRId64, r->step);
	}
	if (t->hidden_require)
		buf_addf(out, ", where %s", expr_text(t->hidden_require));
	buf_addc(out, '\n');
}

/* What the score counts of a launch. */
static void add_work(struct buf *out, const struct task *t)
{
	const char *between = "a launch: ";

	if (t->count) {
		buf_addf(out, "%s%s %s", between, t->quantity,
			 expr_text(t->count));
		between = "; ";
	}
	if (t->flops) {
		buf_addf(out, "%sflops %s", between, expr_text(t->flops));
		between = "; ";
	}
	if (t->bytes)
		buf_addf(out, "%sbytes %s", between, expr_text(t->bytes));
	if (t->count || t->flops || t->bytes)
		buf_addc(out, '\n');
}

static void add_rules(struct buf *out, const struct task *t)
{
	if (t->tolerance.absolute)
		buf_addf(out, "tolerance: rtol %g, atol %g\n",
			 t->tolerance.rtol, t->tolerance.atol);
	else
		buf_addf(out,
			 "tolerance: %g times the error of a plain version in "
			 "the kernel's own precision, tile by tile\n",
			 t->tolerance.factor);
	if (t->hidden)
		add_hidden(out, t);
	buf_addf(out, "metric: %s, threads: %u, cache: %s%s\n",
		 t->metric == METRIC_LATENCY ? "latency" : "throughput",
		 t->threads, t->cache == CACHE_WARM ? "warm" : "cold",
		 t->no_slower_case ? ", no case may become slower" : "");
	add_words(out, "forbidden: operators of PyTorch:", &t->forbidden_calls);
	add_words(out, "forbidden: modules:", &t->forbidden_modules);
}

void task_brief_sources(struct buf *out, const struct task *t)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;

	task_source_patterns(&patterns, t);
	for (size_t i = 0; i < patterns.n; i++)
		buf_addf(out, "%s%s", i ? ", " : "", patterns.v[i]);
}

/* A command of the task says whether a candidate is right and how good. */
static void brief_reported(struct buf *out, const struct task *t)
{
	const struct reported_score *s = &t->score;

	buf_addf(out, "task: %s\nsources that may be changed: ", t->name);
	task_brief_sources(out, t);
	buf_adds(out, "\nscored by a command of the task:");
	for (size_t i = 0; i < s->command.n; i++)
		buf_addf(out, " %s", s->command.v[i]);
	buf_addf(out, "\nwhat it reports is in %s, %s is better%s; %s\n",
		 t->unit, s->lower_is_better ? "lower" : "higher",
		 t->no_slower_case ? ", and no case may become worse" : "",
		 s->exact ? "two runs of the same files report the same"
			  : "it is run for a candidate and its rival in turns");
	buf_addf(out, "a run may take %g s\n", t->timeout_seconds);
	add_words(out, "built before by:", &t->project.command);
}

void task_brief(struct buf *out, const struct task *t)
{
	if (task_is_reported(t)) {
		brief_reported(out, t);
		return;
	}
	buf_addf(out, "task: %s (%s), entry %s(", t->name, task_language(t),
		 t->entry);
	add_arguments(out, t);
	buf_adds(out, ")\nsources that may be changed: ");
	task_brief_sources(out, t);
	buf_adds(out, "\ncases that are timed:");
	for (size_t i = 0; i < t->n_cases; i++)
		buf_addf(out, "%s %s", i ? ";" : "", t->cases[i].name);
	buf_addc(out, '\n');
	add_work(out, t);
	add_rules(out, t);
	buf_addf(out, "compiler: %s", t->compiler);
	for (size_t i = 0; i < t->flags.n; i++)
		buf_addf(out, " %s", t->flags.v[i]);
	buf_addc(out, '\n');
	if (t->fixed_flags)
		buf_adds(out, "flags are fixed: no source line chooses any\n");
	else
		add_words(out,
			  "flags that a source line '// avogit-flags: ...' may "
			  "choose "
			  "beside those:",
			  &t->allowed_flags);
	if (t->n_baselines)
		buf_adds(out, "baselines:");
	for (size_t i = 0; i < t->n_baselines; i++)
		buf_addf(out, " %s%s", t->baselines[i].name,
			 i + 1 == t->n_baselines ? "\n" : ",");
}

void toolbox_machine(struct buf *out, const struct variation *v)
{
	struct evaluator *e = v->evaluator;

	buf_addf(out, "%s\n", e->machine_name(e));
	if (e->machine_about)
		e->machine_about(e, out);
}

void toolbox_left(struct buf *out, const struct variation *v)
{
	cleanup_buf struct buf left = BUF_INIT(1024);

	if (v->allowance && v->allowance->left)
		v->allowance->left(v->allowance, &left);
	buf_adds(out, left.len ? left.data : "no limit");
}

void toolbox_brief(struct buf *out, const struct toolbox *b)
{
	buf_addf(out, "workspace: %s\n", b->shown);
	task_brief(out, b->v->task);
	buf_adds(out, "machine: ");
	toolbox_machine(out, b->v);
	buf_adds(out, "left in this run: ");
	toolbox_left(out, b->v);
	buf_addc(out, '\n');
}
