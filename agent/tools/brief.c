/* The task in words. */
#include "agent/tools/internal.h"

static void add_arguments(struct buf *out, const struct task *t)
{
	static const char *const directions[] = {"in", "out", "inout"};

	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (a->kind == ARGUMENT_TENSOR)
			buf_addf(out, "%s%s: %s (%s%s)", i ? ", " : "", a->name,
				 dtype_name(a->dtype),
				 a->passing == PASSED_BACK
					 ? "returned"
					 : directions[a->direction],
				 a->is_static ? ", static" : "");
		else
			buf_addf(out, "%s%s", i ? ", " : "", a->name);
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
		buf_addf(
			out,
			"%zu more shapes are drawn again for every scoring and "
			"checked\n",
			t->hidden_count);
	buf_addf(out, "metric: %s, threads: %u, cache: %s%s\n",
		 t->metric == METRIC_LATENCY ? "latency" : "throughput",
		 t->threads, t->cache == CACHE_WARM ? "warm" : "cold",
		 t->no_slower_case ? ", no case may become slower" : "");
}

void task_brief_sources(struct buf *out, const struct task *t)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;

	task_source_patterns(&patterns, t);
	for (size_t i = 0; i < patterns.n; i++)
		buf_addf(out, "%s%s", i ? ", " : "", patterns.v[i]);
}

void task_brief(struct buf *out, const struct task *t)
{
	buf_addf(out, "task: %s (%s), entry %s(", t->name,
		 language_name(t->language), t->entry);
	add_arguments(out, t);
	buf_adds(out, ")\nsources that may be changed: ");
	task_brief_sources(out, t);
	buf_adds(out, "\ncases that are timed:");
	for (size_t i = 0; i < t->n_cases; i++)
		buf_addf(out, "%s %s", i ? ";" : "", t->cases[i].name);
	buf_addc(out, '\n');
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

void toolbox_brief(struct buf *out, const struct toolbox *b)
{
	buf_addf(out, "workspace: %s\n", b->shown);
	task_brief(out, b->v->task);
}
