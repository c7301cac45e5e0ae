#include "cmd/import/problem.h"

#include <ctype.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/ui/out.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/sandbox/sandbox.h"
#include "scorer/build/python.h"

/* import_image.S */
extern const char read_problem_image[], problem_wide_image[];

#define SCRIPT	      "read_problem.py"
#define WIDE	      "avogit_wide.py"
#define PROBLEM	      "problem.py"
#define QUESTION      "question.json"
#define SHAPES	      "shapes.py"
#define RESULT_FD     3
#define SECONDS	      600.0
#define LOG_LIMIT     ((size_t)64 << 10)
#define LARGEST_SHAPE (INT64_C(1) << 40)
#define EXACT	      9007199254740992.0 /* integers of a double, up to here */

/* ---- what the script says ------------------------------------------------- */

static struct error *strange(const char *path, const char *what)
{
	return error_new(ERROR_TASK,
			 "%s: it disturbed what read it: %s is not what the "
			 "script of avogit says",
			 path, what);
}

static bool is_word(const char *s, const char *more)
{
	if (!isalpha((unsigned char)*s) && *more == '\0')
		return false;
	for (; *s; s++)
		if (!isascii(*s) || (!isalnum((unsigned char)*s) && *s != '_' &&
				     !strchr(more, *s)))
			return false;
	return true;
}

/* A word of a file that is written: of letters, digits, _ and `more`. */
static bool get_word(char *out, size_t size, const struct json *j,
		     const char *key, const char *more)
{
	const char *s;

	if (!json_get_string(j, key, &s) || !*s || strlen(s) >= size ||
	    !is_word(s, more))
		return false;
	memcpy(out, s, strlen(s) + 1);
	return true;
}

/* The word of each object of the list under `key`, in rows of `size` bytes, of which
 * there are TASK_MAX_ARGS. NULL has none. */
static bool read_words(char *out, size_t size, size_t *n,
		       const struct json *list, const char *key,
		       const char *more)
{
	if (json_len(list) > TASK_MAX_ARGS)
		return false;
	for (; *n < json_len(list); ++*n)
		if (!get_word(out + *n * size, size, json_at(list, *n), key,
			      more))
			return false;
	return true;
}

static bool read_shape(struct problem_tensor *t, const struct json *j)
{
	const struct json *shape = json_get(j, "shape");
	double elements = 1;

	if (!json_is_array(shape) || json_len(shape) > TASK_MAX_DIMS)
		return false;
	t->n_dims = json_len(shape);
	for (size_t d = 0; d < t->n_dims; d++) {
		double n;

		if (!json_number(json_at(shape, d), &n) || !(n >= 1) ||
		    n > (double)LARGEST_SHAPE || n != (double)(int64_t)n)
			return false;
		t->shape[d] = (int64_t)n;
		elements *= n;
	}
	return elements <= (double)LARGEST_SHAPE;
}

static bool read_int_list(int64_t *out, size_t n, const struct json *list,
			  double least, double most)
{
	double v;

	if (!json_is_array(list) || json_len(list) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!json_number(json_at(list, i), &v) || !(v >= least) ||
		    !(v <= most) || v != (double)(int64_t)v)
			return false;
		out[i] = (int64_t)v;
	}
	return true;
}

/* Its shape in every case, and of integers the range; `cases` 0: none has one. */
static bool read_cases(struct problem_tensor *t, const struct json *j,
		       size_t cases)
{
	const struct json *shapes = json_get(j, "shapes");

	if (!cases)
		return true;
	if (!json_is_array(shapes) || json_len(shapes) != cases)
		return false;
	for (size_t c = 0; c < cases; c++)
		if (!read_int_list(t->shapes[c], t->n_dims, json_at(shapes, c),
				   1, LARGEST_SHAPE))
			return false;
	return !json_get(j, "low") ||
	       (read_int_list(t->lows, cases, json_get(j, "lows"), -EXACT,
			      EXACT) &&
		read_int_list(t->highs, cases, json_get(j, "highs"), -EXACT,
			      EXACT));
}

static bool read_tensor(struct problem_tensor *t, const struct json *j,
			size_t cases)
{
	char dtype[PROBLEM_NAME];

	if (json_get(j, "value"))
		return get_word(t->value, sizeof t->value, j, "value", "+-.");
	json_get_bool(j, "uniform", &t->uniform);
	json_get_bool(j, "truth", &t->truth);
	json_get_int(j, "low", &t->low);
	json_get_int(j, "high", &t->high);
	return get_word(t->name, sizeof t->name, j, "name", "") &&
	       get_word(dtype, sizeof dtype, j, "dtype", "") &&
	       dtype_parse(&t->dtype, dtype) && read_shape(t, j) &&
	       (!t->truth || t->dtype == DTYPE_U8) && t->low <= t->high &&
	       read_cases(t, j, cases) &&
	       (!json_get(j, "key") ||
		get_word(t->key, sizeof t->key, j, "key", "."));
}

static struct error *read_tensors(struct problem_tensor *out, size_t *n,
				  const struct json *all, const char *what,
				  const char *path)
{
	const struct json *list = json_get(all, what);
	int64_t cases = 0;

	json_get_int(all, "cases", &cases);

	if (!json_is_array(list) || json_len(list) > TASK_MAX_ARGS ||
	    cases < 0 || cases > PROBLEM_CASES)
		return strange(path, what);
	for (*n = 0; *n < json_len(list); ++*n)
		if (!read_tensor(&out[*n], json_at(list, *n), (size_t)cases))
			return strange(path, what);
	return NULL;
}

static const char *const kinds[WEAK_COUNT] = {
	[WEAK_CONSTANT] = "constant",
	[WEAK_IGNORED] = "ignored",
	[WEAK_RANDOM] = "random",
	[WEAK_WRITES_INPUT] = "writes_input",
	[WEAK_NO_DOUBLE] = "no_double",
	[WEAK_DOUBLE_DIFFERS] = "double_differs",
	[WEAK_ZEROS] = "zeros",
	[WEAK_HARDLY_VARIES] = "hardly_varies",
	[WEAK_HARDLY_USED] = "hardly_used",
	[WEAK_FIXED] = "fixed",
};

static bool read_weakness(struct weakness *w, const struct json *j)
{
	const char *kind;

	if (!json_get_string(j, "kind", &kind))
		return false;
	if (json_get(j, "name") &&
	    !get_word(w->name, sizeof w->name, j, "name", ""))
		return false;
	for (size_t i = 0; i < WEAK_COUNT; i++) {
		w->kind = (enum weakness_kind)i;
		if (str_eq(kinds[i], kind))
			return true;
	}
	return false;
}

static struct error *read_weaknesses(struct problem *p, const struct json *all,
				     const char *path)
{
	const struct json *list = json_get(all, "weak");

	if (!json_is_array(list) || json_len(list) > ARRAY_SIZE(p->weak))
		return strange(path, "weak");
	for (; p->n_weak < json_len(list); p->n_weak++)
		if (!read_weakness(&p->weak[p->n_weak],
				   json_at(list, p->n_weak)))
			return strange(path, "weak");
	return NULL;
}

/* ---- sizes ------------------------------------------------------------------ */

static bool read_size(struct problem_size *s, const struct json *j,
		      size_t cases)
{
	return get_word(s->name, sizeof s->name, j, "name", "") &&
	       get_word(s->global, sizeof s->global, j, "global", "") &&
	       read_int_list(s->value, cases, json_get(j, "values"), 1,
			     LARGEST_SHAPE);
}

static bool read_work(double *out, bool *has, const struct json *list,
		      size_t cases)
{
	if (!list)
		return true;
	*has = true;
	if (!json_is_array(list) || json_len(list) != cases)
		return false;
	for (size_t c = 0; c < cases; c++)
		if (!json_number(json_at(list, c), &out[c]))
			return false;
	return true;
}

static void read_no_operators(struct problem *p, const struct json *list)
{
	for (size_t i = 0; i < json_len(list); i++) {
		double at = -1;

		if (json_number(json_at(list, i), &at) && at >= 0 &&
		    at < PROBLEM_CALLS)
			p->is_no_operator[(size_t)at] = true;
	}
}

static struct error *read_sizes(struct problem *p, const struct json *all,
				const char *path)
{
	const struct json *list = json_get(all, "sizes");
	int64_t cases = 0;

	if (!json_get_int(all, "cases", &cases) || cases < 1 ||
	    cases > PROBLEM_CASES || !json_is_array(list) ||
	    json_len(list) > PROBLEM_SIZES)
		return strange(path, "sizes");
	p->n_cases = (size_t)cases;
	json_get_int(all, "cases_left", &p->cases_left);
	for (; p->n_sizes < json_len(list); p->n_sizes++)
		if (!read_size(&p->size[p->n_sizes], json_at(list, p->n_sizes),
			       p->n_cases))
			return strange(path, "sizes");
	if (!read_words(p->passed_over[0], PROBLEM_NAME, &p->n_passed_over,
			json_get(all, "passed_over"), "name", ""))
		return strange(path, "passed_over");
	read_no_operators(p, json_get(all, "no_operators"));
	if (!read_work(p->flops, &p->has_flops, json_get(all, "flops"),
		       p->n_cases) ||
	    !read_work(p->bytes, &p->has_bytes, json_get(all, "bytes"),
		       p->n_cases))
		return strange(path, "work");
	return NULL;
}

/* Every name is that of another argument. */
static bool names_differ(const struct problem *p)
{
	cleanup_strvec struct strvec seen = STRVEC_INIT;
	const struct {
		const struct problem_tensor *v;
		size_t n;
	} all[] = {{p->input, p->n_inputs},
		   {p->state, p->n_state},
		   {p->output, p->n_outputs}};

	for (size_t i = 0; i < p->n_sizes; i++) {
		if (strvec_has(&seen, p->size[i].name))
			return false;
		strvec_push(&seen, p->size[i].name);
	}
	for (size_t k = 0; k < ARRAY_SIZE(all); k++)
		for (size_t i = 0; i < all[k].n; i++) {
			const char *name = all[k].v[i].name;

			if (all[k].v[i].value[0])
				continue;
			if (strvec_has(&seen, name))
				return false;
			strvec_push(&seen, name);
		}
	return seen.n <= TASK_MAX_ARGS;
}

static bool all_have_keys(const struct problem *p)
{
	for (size_t i = 0; i < p->n_state; i++)
		if (!p->state[i].key[0] || p->state[i].value[0])
			return false;
	for (size_t i = 0; i < p->n_outputs; i++)
		if (p->output[i].value[0])
			return false;
	return p->n_outputs > 0;
}

static struct error *read_answer(struct problem *p, const struct buf *answer,
				 const char *path, bool has_sizes)
{
	cleanup_json struct json *all = NULL;
	cleanup_error struct error *err =
		json_parse(&all, answer->data, answer->len);
	cleanup_buf struct buf words = BUF_INIT(BUF_LIMIT_TEXT);
	const char *why;

	if (err)
		return strange(path, "its answer");
	if (json_get_string(all, "error", &why)) {
		out_clean_line(&words, why);
		return error_new(ERROR_TASK, "%s: %.400s", path, words.data);
	}
	if (has_sizes)
		TRY(read_sizes(p, all, path));
	else if (json_get(all, "cases"))
		return strange(path, "cases");
	TRY(read_tensors(p->input, &p->n_inputs, all, "inputs", path));
	TRY(read_tensors(p->state, &p->n_state, all, "state", path));
	TRY(read_tensors(p->output, &p->n_outputs, all, "outputs", path));
	TRY(read_weaknesses(p, all, path));
	if (!read_words(p->mask[0], PROBLEM_KEY, &p->n_masks,
			json_get(all, "masks"), "key", "."))
		return strange(path, "masks");
	json_get_int(all, "state_left", &p->state_left);
	if (!names_differ(p))
		return strange(path, "a name");
	return all_have_keys(p) ? NULL : strange(path, "state");
}

/* ---- the script ----------------------------------------------------------- */

static struct error *run(struct process_result *r,
			 const struct sandbox *sandbox,
			 const struct runner_command *python,
			 const struct fileset *files, int result)
{
	struct sandbox_spec spec = {
		.argv = (const char *const *)python->argv.v,
		.files = files,
		.folders = (const char *const *)python->folders.v,
		.limits = {.wall_seconds = SECONDS,
			   .file_bytes = PROBLEM_LIMIT,
			   .processes = 256,
			   .open_files = 1024},
		.inherit = {{result, RESULT_FD}},
		.n_inherit = 1,
	};

	return sandbox_run(r, sandbox, &spec, LOG_LIMIT);
}

static struct error *said_nothing(const struct process_result *r,
				  const char *path)
{
	cleanup_buf struct buf words = BUF_INIT(BUF_LIMIT_TEXT);

	if (r->timed_out)
		return error_new(ERROR_TASK,
				 "%s: it did not end within %.0f s on the CPU: "
				 "import it on a faster machine, or give it "
				 "smaller sizes",
				 path, SECONDS);
	if (r->signal == SIGKILL)
		return error_new(ERROR_TASK,
				 "%s: it was killed, as the system does where "
				 "memory runs out: import it on a larger "
				 "machine, or give it smaller sizes",
				 path);
	out_clean_line(&words, r->output.data);
	return error_new(ERROR_TASK,
			 "%s: Python ended with exit status %d and signal %d "
			 "while it ran the problem. %.400s",
			 path, r->exit_code, r->signal, words.data);
}

static char *question_text(const struct problem_question *q)
{
	cleanup_json struct json *all = json_object();
	struct json *rules = json_object();

	if (q->calls)
		json_set(all, "calls", json_strings(q->calls));
	json_set_string(all, "flops", q->flops);
	json_set_string(all, "bytes", q->bytes);
	for (int i = 0; i < DTYPE_COUNT; i++) {
		struct json *rule;

		if (!q->has_tolerance[i])
			continue;
		rule = json_object();
		json_set_double(rule, "rtol", q->rtol[i]);
		json_set_double(rule, "atol", q->atol[i]);
		json_set(rules, dtype_name((enum dtype)i), rule);
	}
	json_set(all, "tolerance", rules);
	return json_print(all);
}

/* The question's files, and the word that names it. */
static struct error *ask(struct fileset *files, struct strvec *argv,
			 const struct problem_question *q)
{
	cleanup_free char *text = NULL;

	if (!q)
		return NULL;
	text = question_text(q);
	strvec_push(argv, QUESTION);
	TRY(fileset_put(files, QUESTION, text, strlen(text), false));
	return q->shapes ? fileset_put(files, SHAPES, q->shapes->data,
				       q->shapes->len, false)
			 : NULL;
}

static struct error *run_script(struct buf *answer, const struct buf *text,
				const char *path,
				const struct problem_question *question)
{
	cleanup_sandbox struct sandbox *sandbox = NULL;
	cleanup_runner_command struct runner_command python = {.version = NULL};
	cleanup_process_result struct process_result r = {0};
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_fd int result = -1;

	TRY(sandbox_probe(&sandbox));
	TRY(python_find(&python, sandbox));
	strvec_pushl(&python.argv, SCRIPT, PROBLEM, NULL);
	TRY(memfd_with(&result, "problem", "", 0, false));
	TRY(fileset_put(&files, SCRIPT, read_problem_image,
			strlen(read_problem_image), false));
	TRY(fileset_put(&files, WIDE, problem_wide_image,
			strlen(problem_wide_image), false));
	TRY(fileset_put(&files, PROBLEM, text->data, text->len, false));
	TRY(ask(&files, &python.argv, question));
	TRY(run(&r, sandbox, &python, &files, result));
	if (r.exit_code != 0 || r.signal || r.timed_out)
		return said_nothing(&r, path);
	if (lseek(result, 0, SEEK_SET) < 0)
		return error_errno("what the script wrote");
	return file_read_fd(answer, result, path);
}

struct error *problem_read(struct problem *out, const char *path,
			   const struct buf *text,
			   const struct problem_question *question)
{
	cleanup_buf struct buf answer = BUF_INIT(PROBLEM_LIMIT);

	*out = (struct problem){0};
	TRY(run_script(&answer, text, path, question));
	return read_answer(out, &answer, path, question != NULL);
}

bool problem_check_is_weak(const struct problem *p)
{
	for (size_t i = 0; i < p->n_weak; i++)
		if (p->weak[i].kind >= WEAK_OF_CHECK &&
		    p->weak[i].kind != WEAK_FIXED)
			return true;
	return false;
}

bool problem_is_refused(const struct problem *p, enum weakness_kind kind)
{
	return kind < WEAK_OF_CHECK &&
	       !(p->own_precision &&
		 (kind == WEAK_NO_DOUBLE || kind == WEAK_DOUBLE_DIFFERS));
}

/* ---- words ------------------------------------------------------------------ */

#define OF_KERNELBENCH "allclose, rtol and atol 1e-2"

void weakness_words(struct buf *out, const struct weakness *w,
		    const char *own_rule)
{
	static const char *const words[WEAK_COUNT] = {
		[WEAK_CONSTANT] =
			"the outputs are the same whatever the inputs are: a "
			"kernel that writes them without reading passes",
		[WEAK_IGNORED] = "`%s` changes no output: a kernel that does "
				 "not read it passes",
		[WEAK_RANDOM] =
			"forward draws random numbers (dropout, noise): "
			"no output of it can be right",
		[WEAK_WRITES_INPUT] =
			"forward changes its inputs, which a kernel gets "
			"read-only",
		[WEAK_NO_DOUBLE] =
			"forward does not compute in double where its inputs "
			"and tensors are double, so that there is nothing more "
			"exact to compare with",
		[WEAK_DOUBLE_DIFFERS] =
			"in double forward computes something else: it is not "
			"exact to 1e-2 in its own precision, or part of it is "
			"no tensor of the model",
		[WEAK_ZEROS] = "a kernel that writes zeros passes",
		[WEAK_HARDLY_VARIES] = "one answer passes for all inputs",
		[WEAK_HARDLY_USED] = "a kernel passes that does not read `%s`",
		[WEAK_FIXED] = "get_inputs gives `%s` the same contents with "
			       "every seed: a kernel may hold the answer",
	};
	const char *at = strstr(words[w->kind], "%s");

	if (w->kind >= WEAK_OF_CHECK && w->kind != WEAK_FIXED)
		buf_addf(out, "by its own check (%s) ",
			 own_rule ? own_rule : OF_KERNELBENCH);
	if (!at) {
		buf_adds(out, words[w->kind]);
		return;
	}
	buf_add(out, words[w->kind], (size_t)(at - words[w->kind]));
	buf_adds(out, w->name);
	buf_adds(out, at + 2);
}
