#include "scorer/host/context.h"

/* Raises *bytes to the size of the buffers of a case. */
static struct error *buffer_bytes(uint64_t *bytes, const struct task *t,
				  const struct task_case *c)
{
	cleanup_free struct layout *l = xcalloc(1, sizeof *l);
	uint64_t sum = 0;

	TRY(layout_make(l, t, c, true));
	for (unsigned r = 0; r < REGION_COUNT; r++)
		sum += l->region_bytes[r] + 2 * LAYOUT_PAGE;
	*bytes = MAX(*bytes, sum * (uint64_t)MAX(t->batch, 1));
	return NULL;
}

/* About the largest hidden case that can be drawn: every symbol at its end. */
static struct error *hidden_bytes(uint64_t *bytes, const struct task *t)
{
	char name[] = "largest hidden";
	struct task_case c = {.name = name};
	cleanup_free int64_t *value = xcalloc(t->symbols.n, sizeof *value);

	for (size_t i = 0; i < t->symbols.n; i++)
		value[i] = t->hidden[i].high;
	c.value = value;
	return buffer_bytes(bytes, t, &c);
}

const cpu_set_t *scoring_cpus(const struct scoring *sc)
{
	return CPU_COUNT(&sc->cpus) ? &sc->cpus : NULL;
}

struct error *scoring_arm_spec(struct runner_spec *out,
			       const struct scoring *sc,
			       const struct build *build)
{
	const struct task *t = sc->task;
	uint64_t buffers = 0;

	*out = (struct runner_spec){
		.sandbox = sc->sandbox,
		.program_fd = sc->program_fd,
		.role = "candidate",
		.object_fd = build->object_fd,
		.build = build,
		.threads = t->threads,
		.folders = (const char *const *)build->libraries.v,
		.cpus = scoring_cpus(sc),
		.stop_now = sc->stop_now};
	if (!t->memory_bytes)
		return NULL;
	for (size_t i = 0; i < t->n_cases; i++)
		TRY(buffer_bytes(&buffers, t, &t->cases[i]));
	if (t->hidden)
		TRY(hidden_bytes(&buffers, t));
	out->memory_bytes = t->memory_bytes + 2 * buffers;
	return NULL;
}

struct entry_points scoring_points(const struct task *t)
{
	return (struct entry_points){t->entry, t->prepare, t->setup, false};
}

struct error *scoring_prepare(struct score_outcome *o, struct scoring *sc,
			      const struct input_set *s,
			      struct arm *const *arms, size_t n)
{
	cleanup_input_set struct input_set same = INPUT_SET_INIT;
	cleanup_free size_t *order = xcalloc(n, sizeof *order);

	if (!sc->task->prepare)
		return NULL;
	set_init_static(&same, s, &sc->secret);
	TRY(judge_fill(sc->judge, &same));
	/* The order must not reveal which arm is the candidate's. */
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	secret_shuffle(&sc->secret, order, n);
	for (size_t k = 0; k < n; k++) {
		size_t i = order[k];

		TRY(arm_prepare(&o[i], arms[i], &same, &sc->layout));
	}
	return NULL;
}

void scorer_reseed(struct scorer *s, uint64_t salt)
{
	uint64_t seed = s->options.seed + salt;

	if (s->options.seed) {
		secret_random_repeat(&s->scoring.secret, seed);
		layout_random_repeat(&s->scoring.layout, seed);
		return;
	}
	secret_random_init(&s->scoring.secret);
	layout_random_init(&s->scoring.layout);
}

bool scorer_has_device(const struct scorer *s)
{
	return s->task->language != LANGUAGE_CUDA || s->gpus.n;
}

struct error *scorer_refuse_reported(const struct scorer *s, const char *what)
{
	if (!task_is_reported(s->task))
		return NULL;
	return error_new(ERROR_REFUSED,
			 "%s: score.command runs the candidates, so they "
			 "cannot be %s here",
			 s->task->path, what);
}

struct error *scorer_require_device(struct evaluator *e)
{
	const struct scorer *s = (const struct scorer *)e;

	if (scorer_has_device(s))
		return NULL;
	return error_new(ERROR_REFUSED,
			 "there is no GPU here to run kernels on: %s; avogit "
			 "score says whether a kernel builds",
			 s->gpus.why);
}
