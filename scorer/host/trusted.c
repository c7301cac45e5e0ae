/* Trusted code: built once, and what is called of it looked for. */
#include "scorer/build/exports.h"
#include "scorer/host/context.h"
#include "scorer/build/prefetch.h"

static struct error *find_one(const struct strvec *exports,
			      const struct task *t, const char *whose,
			      const char *key, const char *name)
{
	cleanup_free char *lack =
		name ? exports_lack(exports, t->language, name) : NULL;

	return lack ? error_new(ERROR_TASK, "%s: %s%s: its sources define %s",
				t->path, whose, key, lack)
		    : NULL;
}

/* Whatever of trusted code is called by its name. What libraries bring only
 * the loader knows. */
static struct error *find_functions(const struct build *b, const struct task *t,
				    const struct trusted_code *code)
{
	cleanup_strvec struct strvec exports = STRVEC_INIT;
	cleanup_free char *whose = NULL;
	bool is_reference = code == &t->reference;

	if (code->libs.n || code->library.n ||
	    !exports_read_fd(&exports, b->object_fd))
		return NULL;
	whose = is_reference ? xstrdup("reference")
			     : xasprintf("baselines.%s", code->name);
	TRY(find_one(&exports, t, whose, ".entry", code->entry));
	TRY(find_one(&exports, t, whose, ".prepare", code->prepare));
	TRY(find_one(&exports, t, whose, ".setup", code->setup));
	if (!is_reference)
		return NULL;
	if (!t->tolerance.absolute)
		TRY(find_one(&exports, t, whose, ".plain", t->plain));
	for (size_t i = 0; i < t->n_arguments; i++)
		if (t->argument[i].fill == FILL_GENERATOR)
			TRY(find_one(&exports, t, whose, ": fill.generator",
				     t->argument[i].generator));
	return NULL;
}

/* What a kernel of several files has its reference call, too. */
static const char *build_remedy(const struct build *b)
{
	const char *why = b->first_error ? b->first_error : b->log;

	return why && strstr(why, "undefined reference to")
		       ? "; `sources: [FIRST, SECOND]` in place of `source` "
			 "links further files with it (of a file that the "
			 "kernel's `sources` name, a copy that they do not: "
			 "candidates change that one)"
		       : "";
}

struct error *scorer_build_once(struct build *b, struct scorer *s,
				const struct trusted_code *code)
{
	struct error *err;

	if (b->ok)
		return NULL;
	build_release(b);
	*b = (struct build)BUILD_INIT;
	prefetch_await_trusted(&s->prefetch, code);
	TRY(build_trusted(b, s->builder, s->files, code));
	if (!b->ok)
		return error_new(ERROR_TASK, "%s: %s does not build: %s%s",
				 s->task->path,
				 code->name ? code->name : "the reference",
				 b->first_error ? b->first_error : b->log,
				 build_remedy(b));
	err = b->runner ? NULL : find_functions(b, s->task, code);
	if (err)
		build_release(b);
	return err;
}

void scorer_build_beside(struct scorer *s, bool baselines)
{
	const struct task *t = s->task;

	if (t->language != LANGUAGE_CUDA || !s->options.cache_dir)
		return;
	if (s->reference.object_fd < 0 && !t->reference.torch)
		prefetch_begin_trusted(&s->prefetch, s->builder, s->files,
				       &t->reference);
	for (size_t i = 0; baselines && i < t->n_baselines; i++)
		if (s->baseline[i].object_fd < 0 && !t->baselines[i].torch)
			prefetch_begin_trusted(&s->prefetch, s->builder,
					       s->files, &t->baselines[i]);
}

/* Of a measurement on a card that many CPUs are kept (build/prefetch.c), and while
 * the judge works nothing else of it does. */
#define PART_OF_CPUS 4
#define MOST_AT_ONCE 4

/* On the CPU those of the arms, which are stopped while the judge works: the one
 * that a scorer has beside them stays free. */
static unsigned judge_threads(const struct scorer *s)
{
	const cpu_set_t *arms = scoring_cpus(&s->scoring);

	if (s->task->language == LANGUAGE_CUDA)
		return MIN(MAX(machine_cpus() / PART_OF_CPUS, 1U),
			   (unsigned)MOST_AT_ONCE);
	return arms ? (unsigned)CPU_COUNT(arms) : MAX(s->task->threads, 1U);
}

struct error *scorer_judge_spec(struct runner_spec *out, struct scorer *s)
{
	TRY(scorer_build_once(&s->reference, s, &s->task->reference));
	*out = (struct runner_spec){.sandbox = s->scoring.sandbox,
				    .program_fd = s->scoring.program_fd,
				    .role = "judge",
				    .object_fd = s->reference.object_fd,
				    .build = &s->reference,
				    .threads = 1,
				    .judge_threads = judge_threads(s),
				    .cpus = scoring_cpus(&s->scoring),
				    .stop_now = s->options.stop_now,
				    .say = s->options.say};
	return NULL;
}

struct error *scorer_start_filler(struct judge **out, struct scorer *s)
{
	struct runner_spec spec;

	TRY(scorer_judge_spec(&spec, s));
	return judge_start(out, s->task, &spec);
}
