#include "core/task/task.h"

#include "core/base/buf.h"
#include "core/base/secret.h"

/* ---- files ------------------------------------------------------------- */

char *task_path(const struct task *t, const char *path)
{
	char *resolved = path_resolve(t->prefix, path);

	/* The parser takes no other. */
	return resolved ? resolved : xstrdup(path);
}

void task_push_paths(struct strvec *out, const struct task *t,
		     const struct strvec *paths)
{
	for (size_t i = 0; i < paths->n; i++) {
		cleanup_free char *path = task_path(t, paths->v[i]);

		strvec_push(out, path);
	}
}

/* A folder for -I means all below it; but of one that holds the task file too
 * only headers, or it would bring the whole project into every build. */
static void push_include(struct strvec *out, const struct task *t,
			 const char *folder)
{
	static const char *const headers[] = {"h",   "hpp", "hh",  "hxx", "h++",
					      "H",   "inc", "inl", "ipp", "tpp",
					      "txx", "tcc", "def", "cuh"};
	cleanup_free char *path = task_path(t, folder);
	const char *slash = *path ? "/" : "";
	cleanup_free char *below = xasprintf("%s%s", path, slash);

	if (!starts_with(t->path, below)) {
		strvec_push(out, below);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		strvec_pushf(out, "%s//*.%s", path, headers[i]);
}

void task_source_patterns(struct strvec *out, const struct task *t)
{
	task_push_paths(out, t, &t->sources);
}

static void push_trusted(struct strvec *out, const struct task *t)
{
	task_push_paths(out, t, &t->reference.sources);
	for (size_t i = 0; i < t->n_baselines; i++)
		task_push_paths(out, t, &t->baselines[i].sources);
}

void task_build_patterns(struct strvec *out, const struct task *t)
{
	task_source_patterns(out, t);
	for (size_t i = 0; i < t->include.n; i++)
		push_include(out, t, t->include.v[i]);
	task_push_paths(out, t, &t->project.files);
}

static void extend_with_new(struct strvec *out, const struct strvec *more)
{
	for (size_t i = 0; i < more->n; i++)
		if (!strvec_has(out, more->v[i]))
			strvec_push(out, more->v[i]);
}

char *task_refuse_flags(const struct task *t, const struct strvec *flags)
{
	cleanup_buf struct buf known = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_strvec struct strvec all = STRVEC_INIT;
	size_t i;

	extend_with_new(&all, &t->flags);
	extend_with_new(&all, &t->allowed_flags);
	for (i = 0; i < flags->n && strvec_has(&all, flags->v[i]); i++)
		;
	if (i == flags->n)
		return NULL;
	for (size_t k = 0; k < all.n; k++)
		buf_addf(&known, " %s", all.v[k]);
	return xasprintf("the flag %s may not be chosen here: add it to "
			 "build.allow in %s (what may be chosen:%s)",
			 flags->v[i], t->path, all.n ? known.data : " none");
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
			return error_new(
				ERROR_TASK,
				"%s: %s is trusted, so no candidate "
				"may change it, but it is among the "
				"sources: name a copy of it in its "
				"place, or take it out of `sources` and "
				"name it in `build.files`",
				t->path, trusted.v[i]);
	}
	return NULL;
}

static bool any_matches(const struct fileset *base,
			const struct strvec *patterns)
{
	for (size_t i = 0; i < base->n; i++)
		if (path_matches(base->file[i].path, patterns))
			return true;
	return false;
}

static struct error *check_compile(const struct task *t,
				   const struct fileset *base)
{
	cleanup_strvec struct strvec built = STRVEC_INIT;
	cleanup_strvec struct strvec compile = STRVEC_INIT;

	task_source_patterns(&built, t);
	task_push_paths(&built, t, &t->project.files);
	task_push_paths(&compile, t, &t->project.compile);
	for (size_t i = 0; i < compile.n; i++) {
		const struct strvec one = {&compile.v[i], 1, 1};
		bool any = false;

		for (size_t j = 0; !any && j < base->n; j++)
			any = path_matches(base->file[j].path, &one) &&
			      path_matches(base->file[j].path, &built);
		if (!any)
			return error_new(
				ERROR_TASK,
				"%s: build.compile: no file of sources "
				"or build.files is %s",
				t->path, compile.v[i]);
	}
	return NULL;
}

static struct error *check_build_files(const struct task *t,
				       const struct fileset *base,
				       const struct strvec *sources)
{
	cleanup_strvec struct strvec files = STRVEC_INIT;

	task_push_paths(&files, t, &t->project.files);
	for (size_t i = 0; i < files.n; i++) {
		const struct strvec one = {&files.v[i], 1, 1};
		bool any = false;

		for (size_t j = 0; j < base->n; j++) {
			const char *path = base->file[j].path;

			if (!path_matches(path, &one))
				continue;
			any = true;
			if (str_eq(path, files.v[i]) &&
			    path_matches(path, sources))
				return error_new(ERROR_TASK,
						 "%s: build.files: %s is among "
						 "the sources",
						 t->path, path);
		}
		if (!any)
			return error_new(
				ERROR_TASK,
				"%s: build.files: no file of the "
				"commit is %s: commit it, or where the "
				"build makes it say how "
				"(build.generate), and name what it is "
				"made from",
				t->path, files.v[i]);
	}
	return NULL;
}

struct error *task_check_files(const struct task *t, const struct fileset *base)
{
	cleanup_strvec struct strvec sources = STRVEC_INIT;

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
	TRY(check_compile(t, base));
	for (size_t i = 0; i < t->include.n; i++) {
		cleanup_strvec struct strvec one = STRVEC_INIT;

		push_include(&one, t, t->include.v[i]);
		if (!any_matches(base, &one))
			return error_new(ERROR_TASK,
					 "%s: include: the commit has no %s "
					 "with files for a build",
					 t->path, t->include.v[i]);
	}
	return check_trusted(t, base, &sources);
}

/* ---- outputs ----------------------------------------------------------- */

bool task_is_reported(const struct task *t)
{
	return t->score.command.n > 0;
}

bool task_is_output(const struct task *t, size_t i)
{
	return t->argument[i].kind == ARGUMENT_TENSOR &&
	       t->argument[i].direction != DIRECTION_IN;
}

bool task_uses_python(const struct task *t)
{
	bool any = t->python || t->reference.torch;

	for (size_t i = 0; i < t->n_baselines; i++)
		any |= t->baselines[i].torch != NULL;
	return any;
}

bool task_compiles_cuda(const struct task *t)
{
	return t->language == LANGUAGE_CUDA && !t->python;
}

bool task_compiles(const struct task *t)
{
	bool any = !t->python || !t->reference.torch;

	for (size_t i = 0; i < t->n_baselines; i++)
		any |= !t->baselines[i].torch;
	return any;
}

bool task_needs_plain(const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments && !t->tolerance.absolute; i++)
		if (task_is_output(t, i) && !t->argument[i].has_tolerance &&
		    dtype_is_float(t->argument[i].dtype))
			return true;
	return false;
}

bool task_has_absolute(const struct task *t)
{
	bool any = t->tolerance.absolute;

	for (size_t i = 0; i < t->n_arguments; i++)
		any |= t->argument[i].has_tolerance;
	return any;
}

/* ---- cases ------------------------------------------------------------- */

struct symbols task_symbols(const struct task *t, const struct task_case *c)
{
	return (struct symbols){t->symbols.v, c->value, t->symbols.n};
}

struct error *task_eval(int64_t *out, const struct expr *e,
			const struct task *t, const struct task_case *c)
{
	struct symbols symbols = task_symbols(t, c);

	return expr_eval(out, e, &symbols);
}

struct error *task_work(double *out, bool *is_bytes, const struct task *t,
			const struct task_case *c)
{
	bool by_name = t->quantity && str_eq(t->quantity, "bytes");
	bool flops = t->flops && !by_name && !t->count;
	const struct expr *e = t->count ? t->count
			       : flops	? t->flops
					: t->bytes;
	const char *what = t->count ? "metric.count"
			   : flops  ? "flops"
				    : "bytes";
	int64_t work;

	TRY(error_wrap(task_eval(&work, e, t, c), "%s: %s: case %s", t->path,
		       what, c->name));
	if (work <= 0)
		return error_new(ERROR_TASK,
				 "%s: %s: '%s' is %jd for the case %s, and "
				 "must be above zero",
				 t->path, what, expr_text(e), (intmax_t)work,
				 c->name);
	*out = (double)work;
	*is_bytes = !t->count && !flops;
	return NULL;
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
		free(a->members[i].tensor);
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
	free(c->torch);
	free(c->compile);
	free(c->entry);
	free(c->prepare);
	free(c->setup);
	strvec_release(&c->sources);
	strvec_release(&c->flags);
	strvec_release(&c->libs);
	strvec_release(&c->library);
	free(c->version);
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
	strvec_release(&t->runner);
	strvec_release(&t->runner_folders);
	strvec_release(&t->forbidden_calls);
	strvec_release(&t->forbidden_modules);
	strvec_release(&t->sources);
	strvec_release(&t->include);
	strvec_release(&t->symbols);
	strvec_release(&t->flags);
	strvec_release(&t->allowed_flags);
	strvec_release(&t->knowledge);
	strvec_release(&t->portable);
	strvec_release(&t->launcher);
	strvec_release(&t->cuda.also);
	strvec_release(&t->project.libs);
	strvec_release(&t->project.files);
	strvec_release(&t->project.compile);
	strvec_release(&t->project.generate);
	strvec_release(&t->project.command);
	strvec_release(&t->score.command);
	strvec_release(&t->score.folders);
	free(t->cuda.arch);
	free(t->project.object);
	free(t->cases);
	free(t->hidden);
	expr_free(t->hidden_require);
	free(t->baselines);
	expr_free(t->flops);
	expr_free(t->bytes);
	expr_free(t->count);
	free(t->quantity);
	free(t->unit);
	free(t->path);
	free(t->prefix);
	free(t->name);
	free(t->entry);
	free(t->prepare);
	free(t->setup);
	free(t->plain);
	free(t->compiler);
	free(t->operator_name);
	free(t->operator_settings);
	free(t);
}
