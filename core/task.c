#include "core/task.h"

#include "core/hash.h"
#include "core/measurement.h"
#include "core/random.h"

/* ---- files ------------------------------------------------------------- */

static void push_paths(struct strvec *out, const struct task *t,
		       const struct strvec *paths, const char *suffix)
{
	for (size_t i = 0; i < paths->n; i++)
		strvec_pushf(out, "%s%s%s", t->prefix, paths->v[i], suffix);
}

void task_source_patterns(struct strvec *out, const struct task *t)
{
	push_paths(out, t, &t->sources, "");
}

static void push_trusted(struct strvec *out, const struct task *t)
{
	push_paths(out, t, &t->reference.sources, "");
	for (size_t i = 0; i < t->n_baselines; i++)
		push_paths(out, t, &t->baselines[i].sources, "");
}

void task_build_patterns(struct strvec *out, const struct task *t)
{
	task_source_patterns(out, t);
	push_paths(out, t, &t->include, "/");
	push_paths(out, t, &t->cuda.files, "");
}

void task_patterns(struct strvec *out, const struct task *t)
{
	strvec_push(out, t->path);
	task_build_patterns(out, t);
	push_trusted(out, t);
}

static struct error *check_trusted(const struct task *t,
				   const struct fileset *base,
				   const struct strvec *sources)
{
	cleanup_strvec struct strvec trusted = STRVEC_INIT;

	push_trusted(&trusted, t);
	for (size_t i = 0; i < trusted.n; i++) {
		if (!fileset_get(base, trusted.v[i]))
			return error_new(ERROR_TASK,
					 "%s: it names %s, which is not in the "
					 "commit",
					 t->path, trusted.v[i]);
		if (path_matches(trusted.v[i], sources))
			return error_new(ERROR_TASK,
					 "%s: %s is trusted, so no candidate "
					 "may change it, but it is among the "
					 "sources",
					 t->path, trusted.v[i]);
	}
	return NULL;
}

static bool any_below(const struct fileset *base, const char *folder)
{
	for (size_t i = 0; i < base->n; i++)
		if (starts_with(base->file[i].path, folder))
			return true;
	return false;
}

static struct error *check_build_files(const struct task *t,
				       const struct fileset *base,
				       const struct strvec *sources)
{
	cleanup_strvec struct strvec files = STRVEC_INIT;

	push_paths(&files, t, &t->cuda.files, "");
	for (size_t i = 0; i < files.n; i++) {
		const struct strvec one = {&files.v[i], 1, 1};
		bool any = false;

		for (size_t j = 0; j < base->n; j++) {
			const char *path = base->file[j].path;

			if (!path_matches(path, &one))
				continue;
			any = true;
			if (path_matches(path, sources))
				return error_new(ERROR_TASK,
						 "%s: build.files: %s is among "
						 "the sources",
						 t->path, path);
		}
		if (!any)
			return error_new(ERROR_TASK,
					 "%s: build.files: no file of the "
					 "commit is %s",
					 t->path, files.v[i]);
	}
	return NULL;
}

struct error *task_check_files(const struct task *t, const struct fileset *base)
{
	cleanup_strvec struct strvec sources = STRVEC_INIT;
	cleanup_strvec struct strvec include = STRVEC_INIT;

	task_source_patterns(&sources, t);
	for (size_t i = 0; i < sources.n; i++) {
		const struct strvec one = {&sources.v[i], 1, 1};
		bool any = false;

		for (size_t j = 0; j < base->n; j++)
			any |= path_matches(base->file[j].path, &one);
		if (!any)
			return error_new(
				ERROR_TASK,
				"%s: sources: no file of the commit is "
				"%s",
				t->path, sources.v[i]);
	}
	if (path_matches(t->path, &sources))
		return error_new(ERROR_TASK,
				 "%s: sources: the task file itself is among "
				 "them",
				 t->path);
	TRY(check_build_files(t, base, &sources));
	push_paths(&include, t, &t->include, "/");
	for (size_t i = 0; i < include.n; i++)
		if (!any_below(base, include.v[i]))
			return error_new(ERROR_TASK,
					 "%s: include: the commit has no %s",
					 t->path, include.v[i]);
	return check_trusted(t, base, &sources);
}

/* ---- identity ---------------------------------------------------------- */

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
	for (size_t i = 0; i < a->n_members; i++) {
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
}

static void hash_trusted(struct hash *h, const struct task *t,
			 const struct trusted_code *c,
			 const struct fileset *base)
{
	hash_string(h, c->name);
	hash_string(h, c->entry);
	hash_string(h, c->prepare);
	hash_words(h, &c->flags);
	hash_words(h, &c->libs);
	for (size_t i = 0; i < c->sources.n; i++) {
		cleanup_free char *path =
			xasprintf("%s%s", t->prefix, c->sources.v[i]);
		const struct file_entry *f = fileset_get(base, path);

		hash_string(h, c->sources.v[i]);
		hash_number(h, f ? (double)f->len : -1);
		if (f)
			hash_add(h, f->data, f->len);
	}
}

static void hash_includes(struct hash *h, const struct task *t,
			  const struct fileset *base)
{
	cleanup_strvec struct strvec folders = STRVEC_INIT;
	cleanup_strvec struct strvec sources = STRVEC_INIT;

	push_paths(&folders, t, &t->include, "/");
	push_paths(&folders, t, &t->cuda.files, "");
	task_source_patterns(&sources, t);
	for (size_t i = 0; i < base->n; i++) {
		const struct file_entry *f = &base->file[i];

		if (!path_matches(f->path, &folders) ||
		    path_matches(f->path, &sources))
			continue;
		hash_string(h, f->path);
		hash_number(h, (double)f->len);
		hash_add(h, f->data, f->len);
	}
}

/* Nothing of this for C: there it would only make old figures strangers. */
static void hash_cuda(struct hash *h, const struct task *t)
{
	if (t->language != LANGUAGE_CUDA)
		return;
	hash_string(h, t->cuda.arch);
	hash_words(h, &t->cuda.also);
	hash_number(h, t->cuda.rdc);
	hash_words(h, &t->cuda.libs);
	hash_words(h, &t->cuda.files);
	hash_words(h, &t->cuda.command);
	hash_string(h, t->cuda.object);
}

void task_identity(char *out, const struct task *t, const struct fileset *base)
{
	const double plain[] = {t->language,
				t->metric,
				(double)t->batch,
				t->threads,
				t->cache,
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
	hash_string(h, t->compiler);
	hash_words(h, &t->flags);
	hash_words(h, &t->allowed_flags);
	hash_cuda(h, t);
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		hash_number(h, plain[i]);
	for (size_t i = 0; i < t->n_arguments; i++)
		hash_argument(h, &t->argument[i]);
	hash_cases(h, t);
	hash_expr(h, t->flops);
	hash_expr(h, t->bytes);
	hash_string(h, t->plain);
	hash_trusted(h, t, &t->reference, base);
	for (size_t i = 0; i < t->n_baselines; i++)
		hash_trusted(h, t, &t->baselines[i], base);
	hash_includes(h, t, base);
	hash_finish(hex, h);
	snprintf(out, IDENTITY_HEX_LEN + 1, "%.*s", IDENTITY_HEX_LEN, hex);
}

/* ---- cases ------------------------------------------------------------- */

struct symbols task_symbols(const struct task *t, const struct task_case *c)
{
	return (struct symbols){t->symbols.v, c->value, t->symbols.n};
}

struct error *task_work(double *out, bool *is_bytes, const struct task *t,
			const struct task_case *c)
{
	const struct expr *e = t->flops ? t->flops : t->bytes;
	struct symbols symbols = task_symbols(t, c);
	int64_t work;

	TRY(error_wrap(expr_eval(&work, e, &symbols), "%s: %s: case %s",
		       t->path, t->flops ? "flops" : "bytes", c->name));
	if (work <= 0)
		return error_new(ERROR_TASK,
				 "%s: %s: '%s' is %jd for the case %s, and "
				 "must be above zero",
				 t->path, t->flops ? "flops" : "bytes",
				 expr_text(e), (intmax_t)work, c->name);
	*out = (double)work;
	*is_bytes = !t->flops;
	return NULL;
}

void task_draw_hidden(struct task_case *out, const struct task *t,
		      struct random *r)
{
	cleanup_free char *name = xstrdup("hidden");

	*out = (struct task_case){.weight = 1};
	out->value = xcalloc(t->symbols.n, sizeof *out->value);
	for (size_t s = 0; s < t->symbols.n; s++) {
		const struct hidden_range *h = &t->hidden[s];
		int64_t first = (h->low + h->step - 1) / h->step;
		int64_t last = h->high / h->step;
		char *longer;

		out->value[s] =
			h->step *
			(first + (int64_t)random_below(
					 r, (uint64_t)(last - first + 1)));
		longer = xasprintf("%s %s=%jd", name, t->symbols.v[s],
				   (intmax_t)out->value[s]);
		free(name);
		name = longer;
	}
	out->name = steal(&name);
}

void task_case_release(struct task_case *c)
{
	free(c->value);
	free(c->name);
	*c = (struct task_case){0};
}

/* ---- the end ----------------------------------------------------------- */

static void argument_release(struct argument *a)
{
	for (size_t d = 0; d < TASK_MAX_DIMS; d++) {
		expr_free(a->shape[d]);
		expr_free(a->stride[d]);
	}
	for (size_t i = 0; i < a->n_members; i++) {
		free(a->members[i].name);
		expr_free(a->members[i].value);
	}
	free(a->members);
	free(a->name);
	free(a->generator);
	expr_free(a->low);
	expr_free(a->high);
	expr_free(a->bytes);
}

static void trusted_release(struct trusted_code *c)
{
	free(c->name);
	free(c->entry);
	free(c->prepare);
	strvec_release(&c->sources);
	strvec_release(&c->flags);
	strvec_release(&c->libs);
}

void task_free(struct task *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_arguments; i++)
		argument_release(&t->argument[i]);
	for (size_t i = 0; i < t->n_cases; i++)
		task_case_release(&t->cases[i]);
	for (size_t i = 0; i < t->n_baselines; i++)
		trusted_release(&t->baselines[i]);
	trusted_release(&t->reference);
	strvec_release(&t->sources);
	strvec_release(&t->include);
	strvec_release(&t->symbols);
	strvec_release(&t->flags);
	strvec_release(&t->allowed_flags);
	strvec_release(&t->knowledge);
	strvec_release(&t->launcher);
	strvec_release(&t->cuda.also);
	strvec_release(&t->cuda.libs);
	strvec_release(&t->cuda.files);
	strvec_release(&t->cuda.command);
	free(t->cuda.arch);
	free(t->cuda.object);
	free(t->cases);
	free(t->hidden);
	free(t->baselines);
	expr_free(t->flops);
	expr_free(t->bytes);
	free(t->path);
	free(t->prefix);
	free(t->name);
	free(t->entry);
	free(t->prepare);
	free(t->plain);
	free(t->compiler);
	free(t->operator_name);
	free(t->operator_settings);
	free(t);
}
