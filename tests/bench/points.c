#include "tests/bench/points.h"

#include <dlfcn.h>
#include <ffi.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/random.h"
#include "core/sandbox/process.h"
#include "core/score/stats.h"
#include "core/task/layout.h"
#include "tests/draws.h"

#define LAUNCHES 7
#define EXTRA	 2 /* the rows, where a reference takes them */

typedef void function(void);

struct points_case {
	struct layout layout;
	void *tensor[TASK_MAX_ARGS]; /* of inputs and of outputs */
	double *right[TASK_MAX_ARGS];
	double allowed[TASK_MAX_ARGS]; /* the largest error of an output */
};

/* ---- calls ----------------------------------------------------------------- */

static void call(const struct points *p, struct points_case *c, function *f,
		 void **tensor, bool has_rows)
{
	ffi_type *type[TASK_MAX_ARGS + EXTRA];
	void *value[TASK_MAX_ARGS + EXTRA];
	int64_t rows[EXTRA] = {0, c->layout.rows};
	size_t n = c->layout.n;
	ffi_cif cif;

	for (size_t i = 0; i < n; i++) {
		bool is_tensor = c->layout.arg[i].is_tensor;

		type[i] = is_tensor ? &ffi_type_pointer : &ffi_type_sint32;
		value[i] = is_tensor ? (void *)&tensor[i]
				     : c->layout.arg[i].value.data;
	}
	for (size_t i = 0; i < EXTRA; i++) {
		type[n + i] = &ffi_type_sint64;
		value[n + i] = &rows[i];
	}
	n += has_rows && p->task->reference_rows ? EXTRA : 0;
	if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, (unsigned)n, &ffi_type_void,
			 type) != FFI_OK)
		abort();
	ffi_call(&cif, f, NULL, value);
}

/* The largest difference from what is right; HUGE_VAL where one is no number. */
static double largest_error(const struct points_case *c, size_t i,
			    const float *got)
{
	double most = 0;

	for (int64_t k = 0; k < c->layout.arg[i].tensor.elements; k++) {
		double off = fabs((double)got[k] - c->right[i][k]);

		most = off <= most ? most : isnan(off) ? HUGE_VAL : off;
	}
	return most;
}

/* ---- what is right ---------------------------------------------------------- */

static struct error *compile(const struct points *p, const char *source,
			     const char *object, const char *flags)
{
	cleanup_process_result struct process_result result = {0};
	cleanup_strvec struct strvec argv = STRVEC_INIT;
	cleanup_free char *words = xstrdup(flags);
	struct process_spec spec = {.limits = {.wall_seconds = 60}};

	strvec_push(&argv, p->task->compiler);
	strvec_extend(&argv, &p->task->flags);
	for (char *save, *f = strtok_r(words, " ", &save); f;
	     f = strtok_r(NULL, " ", &save))
		strvec_push(&argv, f);
	strvec_pushl(&argv, "-shared", "-fPIC", "-o", object, source, "-lm",
		     NULL);
	spec.argv = (const char *const *)argv.v;
	TRY(process_run(&result, &spec, 4096));
	if (result.exit_code != 0)
		return error_new(ERROR_SYSTEM, "%s: %s", source,
				 result.output.data);
	return NULL;
}

static struct error *find(function **f, const char *object, const char *name)
{
	void *so = dlopen(object, RTLD_NOW);
	void *at = so ? dlsym(so, name) : NULL;

	if (!at)
		return error_new(ERROR_SYSTEM, "%s: %s", object, dlerror());
	memcpy(f, &at, sizeof at);
	return NULL;
}

static void make_case(struct points *p, struct points_case *c,
		      struct random *random, function *reference,
		      function *plain)
{
	void *tensor[TASK_MAX_ARGS];

	for (size_t i = 0; i < c->layout.n; i++) {
		size_t n = (size_t)c->layout.arg[i].tensor.elements;
		float *x;

		if (!c->layout.arg[i].is_tensor)
			continue;
		x = c->tensor[i] = xcalloc(n, sizeof *x);
		for (size_t k = 0; k < n && !task_is_output(p->task, i); k++)
			x[k] = (float)random_normal(random);
		c->right[i] = task_is_output(p->task, i)
				      ? xcalloc(n, sizeof(double))
				      : NULL;
		tensor[i] = c->right[i] ? (void *)c->right[i] : x;
	}
	call(p, c, reference, tensor, true);
	call(p, c, plain, c->tensor, true);
	for (size_t i = 0; i < c->layout.n; i++)
		if (c->right[i])
			c->allowed[i] = p->task->tolerance.factor *
					largest_error(c, i, c->tensor[i]);
}

static struct error *make_cases(struct points *p, const char *dir)
{
	cleanup_free char *source =
		xasprintf("%s/%s", dir, p->task->reference.sources.v[0]);
	cleanup_free char *object = xasprintf("%s/reference.so", p->folder);
	function *reference = NULL, *plain = NULL;
	struct random random;

	TRY(compile(p, source, object, ""));
	TRY(find(&reference, object, p->task->reference.entry));
	TRY(find(&plain, object, p->task->plain));
	random_init(&random, 2);
	p->cases = xcalloc(p->task->n_cases, sizeof *p->cases);
	for (size_t i = 0; i < p->task->n_cases; i++) {
		TRY(layout_make(&p->cases[i].layout, p->task,
				&p->task->cases[i], false));
		make_case(p, &p->cases[i], &random, reference, plain);
	}
	return NULL;
}

struct error *points_open(struct points *p, const char *task,
			  const char *folder)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	const char *slash = strrchr(task, '/');
	cleanup_free char *dir =
		slash ? xasprintf("%.*s", (int)(slash - task), task)
		      : xstrdup(".");
	cleanup_free char *kernel = NULL;

	*p = (struct points){.folder = xstrdup(folder)};
	TRY(file_read(&text, task));
	TRY(task_parse(&p->task, "avogit.yaml", text.data, text.len));
	kernel = xasprintf("%s/kernel.c", dir);
	buf_clear(&text);
	TRY(file_read(&text, kernel));
	TRY(fileset_put(&p->sources, "kernel.c", text.data, text.len, false));
	TRY(tunables_read(&p->space, &p->sources, p->task));
	TRY(dir_make(folder));
	return make_cases(p, dir);
}

/* ---- points ------------------------------------------------------------------ */

char *points_name(const struct points *p, const size_t *point)
{
	cleanup_buf struct buf name = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t d = 0; d < p->space.n; d++)
		buf_addf(&name, "%s%zu", d ? "-" : "", point[d]);
	return buf_take(&name);
}

struct error *points_compile(const struct points *p, const size_t *point)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_free char *name = points_name(p, point);
	cleanup_free char *object = xasprintf("%s/%s.so", p->folder, name);
	cleanup_free char *source = xasprintf("%s/%s.c", p->folder, name);
	const char *flags = "";

	if (file_exists(object))
		return NULL;
	for (size_t d = 0; d < p->space.n; d++)
		if (p->space.tunable[d].is_flags)
			flags = p->space.tunable[d].value[point[d]];
	TRY(fileset_copy(&files, &p->sources));
	TRY(tunables_apply(&files, &p->space, point));
	TRY(file_write(source, files.file[0].data, files.file[0].len, false));
	return compile(p, source, object, flags);
}

static bool is_right(const struct points_case *c)
{
	for (size_t i = 0; i < c->layout.n; i++)
		if (c->right[i] &&
		    !(largest_error(c, i, c->tensor[i]) <= c->allowed[i]))
			return false;
	return true;
}

static double time_case(const struct points *p, struct points_case *c,
			function *f)
{
	double t[LAUNCHES];

	call(p, c, f, c->tensor, false);
	if (!is_right(c))
		return (double)NAN;
	for (size_t i = 0; i < LAUNCHES; i++) {
		t[i] = clock_seconds();
		call(p, c, f, c->tensor, false);
		t[i] = clock_seconds() - t[i];
	}
	return stats_median(t, LAUNCHES);
}

static double time_cases(const struct points *p, const char *object)
{
	cleanup_error struct error *err = NULL;
	function *f = NULL;
	double sum = 0;

	err = find(&f, object, p->task->entry);
	for (size_t i = 0; !err && i < p->task->n_cases; i++)
		sum += log(time_case(p, &p->cases[i], f));
	return err ? (double)NAN : exp(sum / (double)p->task->n_cases);
}

/* In a child: a kernel that crashes must not end the bench. */
double points_time(const struct points *p, const size_t *point)
{
	cleanup_free char *name = points_name(p, point);
	cleanup_free char *object = xasprintf("%s/%s.so", p->folder, name);
	double seconds = (double)NAN;
	int fd[2];
	pid_t pid;

	if (pipe(fd) < 0)
		return seconds;
	pid = fork();
	if (pid == 0) {
		seconds = time_cases(p, object);
		_exit(write(fd[1], &seconds, sizeof seconds) < 0);
	}
	close(fd[1]);
	if (read(fd[0], &seconds, sizeof seconds) != sizeof seconds)
		seconds = (double)NAN;
	close(fd[0]);
	waitpid(pid, NULL, 0);
	return seconds;
}

void points_release(struct points *p)
{
	for (size_t i = 0; p->cases && i < p->task->n_cases; i++)
		for (size_t k = 0; k < TASK_MAX_ARGS; k++) {
			free(p->cases[i].tensor[k]);
			free(p->cases[i].right[k]);
		}
	free(p->cases);
	tunables_release(&p->space);
	fileset_release(&p->sources);
	task_free(p->task);
	free(p->folder);
}
