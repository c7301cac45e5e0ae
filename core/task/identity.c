/* What makes two tasks the same for a measurement, as one hash. A change of
 * what is hashed here makes all earlier figures incomparable. */
#include "core/base/hash.h"
#include "core/score/measurement.h"
#include "core/task/task.h"

static void hash_string(struct hash *h, const char *s)
{
	hash_adds(h, s ? s : "");
}

static void hash_words(struct hash *h, const struct strvec *words)
{
	for (size_t i = 0; i < words->n; i++)
		hash_adds(h, words->v[i]);
	hash_adds(h, "");
}

static void hash_number(struct hash *h, double v)
{
	char text[40];

	snprintf(text, sizeof text, "%.17g", v);
	hash_adds(h, text);
}

static void hash_expr(struct hash *h, const struct expr *e)
{
	hash_adds(h, e ? expr_text(e) : "");
}

static void hash_argument(struct hash *h, const struct argument *a)
{
	const double plain[] = {a->kind,	a->dtype,
				a->direction,	(double)a->n_dims,
				a->has_strides, (double)a->alignment,
				a->fill,	a->zeroed,
				a->is_static};

	hash_string(h, a->name);
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		hash_number(h, plain[i]);
	for (size_t d = 0; d < a->n_dims; d++) {
		hash_expr(h, a->shape[d]);
		hash_expr(h, a->stride[d]);
	}
	hash_expr(h, a->low);
	hash_expr(h, a->high);
	hash_expr(h, a->bytes);
	hash_string(h, a->generator);
	if (a->may_not_vary) /* else as before the choice existed */
		hash_adds(h, "may not vary");
	if (a->only_uniform) /* the same */
		hash_adds(h, "only uniform");
	if (a->has_tolerance) { /* else the hash from before the choice */
		hash_adds(h, "tolerance");
		hash_number(h, a->rtol);
		hash_number(h, a->atol);
	}
	/* What is as it was before there was a choice is hashed as it was. */
	if (a->passing != PASSED_AS_POINTER)
		hash_number(h, a->passing);
	if (a->by_pointer)
		hash_adds(h, "by pointer");
	for (size_t i = 0; i < a->n_members; i++) {
		if (a->members[i].tensor)
			hash_adds(h, a->members[i].tensor);
		hash_number(h, a->members[i].dtype);
		hash_number(h, a->members[i].constant);
		hash_expr(h, a->members[i].value);
	}
}

static void hash_cases(struct hash *h, const struct task *t)
{
	hash_words(h, &t->symbols);
	for (size_t i = 0; i < t->n_cases; i++) {
		hash_string(h, t->cases[i].name);
		hash_number(h, t->cases[i].weight);
	}
	hash_number(h, (double)t->hidden_count);
	for (size_t s = 0; t->hidden && s < t->symbols.n; s++) {
		hash_number(h, (double)t->hidden[s].low);
		hash_number(h, (double)t->hidden[s].high);
		hash_number(h, (double)t->hidden[s].step);
	}
	if (t->hidden_require) { /* else the hash from before the choice */
		hash_adds(h, "require");
		hash_expr(h, t->hidden_require);
	}
}

static void hash_trusted(struct hash *h, const struct task *t,
			 const struct trusted_code *c,
			 const struct fileset *base)
{
	hash_string(h, c->name);
	hash_string(h, c->entry);
	if (c->compile) { /* else the hash from before the choice existed */
		hash_adds(h, "compile");
		hash_string(h, c->compile);
	}
	hash_string(h, c->prepare);
	if (c->setup)
		hash_string(h, c->setup);
	hash_words(h, &c->flags);
	hash_words(h, &c->libs);
	if (c->version) { /* else the hash from before the choice existed */
		hash_adds(h, "library");
		hash_string(h, c->version);
	}
	for (size_t i = 0; i < c->sources.n; i++) {
		cleanup_free char *path = task_path(t, c->sources.v[i]);
		const struct file_entry *f = fileset_get(base, path);

		hash_string(h, c->sources.v[i]);
		hash_number(h, f ? (double)f->len : -1);
		if (f)
			hash_add(h, f->data, f->len);
	}
}

/* The files that the build gets and that a candidate may not change. */
static void hash_includes(struct hash *h, const struct task *t,
			  const struct fileset *base)
{
	cleanup_strvec struct strvec build = STRVEC_INIT;
	cleanup_strvec struct strvec sources = STRVEC_INIT;

	task_build_patterns(&build, t);
	task_source_patterns(&sources, t);
	for (size_t i = 0; i < base->n; i++) {
		const struct file_entry *f = &base->file[i];

		if (!path_matches(f->path, &build) ||
		    path_matches(f->path, &sources))
			continue;
		hash_string(h, f->path);
		hash_number(h, (double)f->len);
		hash_add(h, f->data, f->len);
	}
}

static bool has_project_build(const struct task *t)
{
	return t->project.libs.n || t->project.files.n ||
	       t->project.compile.n || t->project.generate.n ||
	       t->project.object;
}

/* Not for C with its compiler alone: it would make old figures incomparable for
 * nothing. */
static void hash_build(struct hash *h, const struct task *t)
{
	if (t->language == LANGUAGE_CUDA) {
		hash_string(h, t->cuda.arch);
		hash_words(h, &t->cuda.also);
		hash_number(h, t->cuda.rdc);
	} else if (!has_project_build(t)) {
		return;
	}
	hash_words(h, &t->project.libs);
	hash_words(h, &t->project.files);
	hash_words(h, &t->project.command);
	hash_string(h, t->project.object);
	if (t->project.compile.n || t->project.generate.n) {
		hash_words(h, &t->project.compile);
		hash_words(h, &t->project.generate);
	}
}

/* A setting that the task does not give counts as 0, as before the choice
 * existed on a GPU. */
static double cache_number(const struct task *t)
{
	if (t->language == LANGUAGE_CUDA)
		return t->cache == CACHE_WARM ? 2 : 0;
	return t->cache;
}

/* Nothing for a task that the scorer measures: figures of both kinds are kept
 * apart by this. */
static void hash_score(struct hash *h, const struct task *t)
{
	const struct reported_score *s = &t->score;
	const double plain[] = {s->ab, s->exact, s->lower_is_better,
				s->network};

	if (!task_is_reported(t))
		return;
	hash_adds(h, "reported");
	hash_words(h, &s->command);
	hash_words(h, &s->folders);
	hash_string(h, t->unit);
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		hash_number(h, plain[i]);
}

void task_identity(char *out, const struct task *t, const struct fileset *base)
{
	const double plain[] = {t->language,
				t->metric,
				(double)t->batch,
				t->threads,
				cache_number(t),
				t->reference_rows,
				t->tolerance.factor,
				t->tolerance.rtol,
				t->tolerance.atol,
				t->tolerance.absolute,
				t->timeout_seconds,
				t->build_seconds,
				(double)t->memory_bytes,
				t->deterministic};
	struct hash *h = hash_new();
	char hex[HASH_HEX_LEN + 1];

	hash_string(h, t->entry);
	hash_string(h, t->prepare);
	if (t->setup)
		hash_string(h, t->setup);
	if (t->runner.n) { /* else the hash from before the choice existed */
		hash_adds(h, "runner");
		hash_words(h, &t->runner);
		hash_words(h, &t->runner_folders);
	}
	if (t->forbidden_calls.n || t->forbidden_modules.n) {
		hash_adds(h, "forbidden");
		hash_words(h, &t->forbidden_calls);
		hash_words(h, &t->forbidden_modules);
	}
	hash_string(h, t->compiler);
	hash_words(h, &t->flags);
	hash_words(h, &t->allowed_flags);
	if (t->fixed_flags) /* else the hash from before the choice existed */
		hash_adds(h, "fixed flags");
	hash_build(h, t);
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		hash_number(h, plain[i]);
	if (t->check > 1) /* else the hash from before the choice existed */
		hash_number(h, t->check);
	for (size_t i = 0; i < t->n_arguments; i++)
		hash_argument(h, &t->argument[i]);
	hash_cases(h, t);
	hash_expr(h, t->flops);
	hash_expr(h, t->bytes);
	if (t->quantity) { /* else the hash from before the choice existed */
		hash_adds(h, t->quantity);
		hash_expr(h, t->count);
	}
	hash_string(h, t->plain);
	hash_trusted(h, t, &t->reference, base);
	for (size_t i = 0; i < t->n_baselines; i++)
		hash_trusted(h, t, &t->baselines[i], base);
	hash_includes(h, t, base);
	hash_score(h, t);
	hash_finish(hex, h);
	snprintf(out, IDENTITY_HEX_LEN + 1, "%.*s", IDENTITY_HEX_LEN, hex);
}
