#include "core/base/json.h"
#include "core/score/unit.h"
#include "core/task/layout.h"
#include "core/task/reader.h"

#include <math.h>

static const struct key *of_task(const char *name)
{
	return task_key(keys_task, ~0U, name);
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xstrndup(path, (size_t)(slash + 1 - path)) : xstrdup("");
}

struct error *reader_path(const struct task_reader *r, const struct yaml *y,
			  const char *where, const char *path)
{
	cleanup_free char *found = path_resolve(r->task->prefix, path);

	if (!found)
		return error_new(ERROR_TASK,
				 "%s:%zu: %s: found '%.100s'; paths are "
				 "relative to the task file, and stay in the "
				 "repository",
				 r->path, y->line, where, path);
	if (!*found && !str_eq(where, "include"))
		return error_new(ERROR_TASK,
				 "%s:%zu: %s: found '%.100s', which is the "
				 "whole repository: name files or folders",
				 r->path, y->line, where, path);
	return NULL;
}

struct error *task_read_patterns(struct strvec *out,
				 const struct task_reader *r,
				 const struct yaml *y, const char *where)
{
	TRY(reader_words(out, r, y, where));
	if (!y)
		return NULL;
	if (!out->n)
		return reader_refuse(r, y, where,
				     "it must name at least one path");
	for (size_t i = 0; i < out->n; i++)
		TRY(reader_path(r, y, where, out->v[i]));
	return NULL;
}

static struct error *read_sources(const struct task_reader *r,
				  const struct yaml *y)
{
	struct task *t = r->task;

	if (y->kind != YAML_MAPPING)
		return task_read_patterns(&t->sources, r, y, "sources");
	TRY(reader_keys(r, y, "sources", keys_sources, 0));
	TRY(reader_needed(r, y, "sources", keys_sources, 0));
	TRY(reader_bool(&t->may_add, r, document_get(y, "add"), "sources.add"));
	TRY(reader_bool(&t->may_remove, r, document_get(y, "remove"),
			"sources.remove"));
	return task_read_patterns(&t->sources, r, document_get(y, "paths"),
				  "sources");
}

static struct error *read_include(const struct task_reader *r,
				  const struct yaml *y)
{
	TRY(task_read_patterns(&r->task->include, r, y, "include"));
	for (size_t i = 0; i < r->task->include.n; i++) {
		char *folder = r->task->include.v[i];
		size_t len = strlen(folder);

		if (strpbrk(folder, "*?["))
			return reader_refuse(r, y, "include",
					     "it must name folders");
		if (folder[len - 1] == '/')
			folder[len - 1] = '\0';
	}
	return NULL;
}

/* From the top of the repository: a project's documents are there. */
static struct error *read_knowledge(const struct task_reader *r,
				    const struct yaml *y)
{
	static const char where[] = "knowledge";
	struct strvec *out = &r->task->knowledge;

	TRY(reader_words(out, r, y, where));
	if (y && !out->n)
		return reader_refuse(r, y, where,
				     "it must name at least one path");
	for (size_t i = 0; i < out->n; i++) {
		cleanup_free char *path = path_resolve("", out->v[i]);

		if (!path || strstr(out->v[i], ".."))
			return reader_refuse(r, y, where,
					     "paths are relative to the top of "
					     "the repository, without '..'");
	}
	return NULL;
}

static struct error *read_unit(const struct task_reader *r,
			       const struct yaml *y)
{
	struct task *t = r->task;
	const struct yaml *unit = document_get(y, "unit");

	TRY(reader_word(&t->unit, r, unit, "metric.unit"));
	if (unit && !unit_is_plain(t->unit))
		return reader_refuse(r, unit, "metric.unit",
				     "it must be at most 16 letters, digits "
				     "and any of /^*._%-, such as GB/s or "
				     "frames/s");
	if (unit || str_eq(t->quantity, "flops"))
		return NULL;
	t->unit = str_eq(t->quantity, "bytes") ? xstrdup("B/s")
					       : xasprintf("%s/s", t->quantity);
	if (unit_is_plain(t->unit))
		return NULL;
	return reader_refuse(r, document_get(y, "name"), "metric.name",
			     "it is too long for a unit: give metric.unit");
}

/* `metric: {name: cells, unit: Gcells/s, count: n * m}` */
static struct error *read_quantity(const struct task_reader *r,
				   const struct yaml *y)
{
	struct task *t = r->task;
	const struct yaml *name = document_get(y, "name");
	const struct yaml *count = document_get(y, "count");
	bool known;

	TRY(reader_keys(r, y, "metric", keys_metric, 0));
	if (!name && (count || document_get(y, "unit")))
		return reader_missing(r, y, "metric", "name");
	if (!name)
		return NULL;
	TRY(reader_identifier(&t->quantity, r, name, "metric.name"));
	known = str_eq(t->quantity, "bytes") || str_eq(t->quantity, "flops");
	if (known && count)
		return reader_refuse(r, count, "metric.count",
				     "bytes and flops have keys of their own");
	if (!known && !count)
		return reader_missing(r, y, "metric", "count");
	TRY(reader_expr(&t->count, r, count, "metric.count"));
	return read_unit(r, y);
}

/* FLOPS are floating operations: a task without a floating tensor has none. */
static bool is_integer_work(const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++)
		if (t->argument[i].kind == ARGUMENT_TENSOR &&
		    dtype_is_float(t->argument[i].dtype))
			return false;
	return true;
}

static struct error *read_work(const struct task_reader *r,
			       const struct yaml *root)
{
	struct task *t = r->task;
	const char *need = t->count ? NULL : t->quantity;

	TRY(reader_expr(&t->flops, r, document_get(root, "flops"), "flops"));
	TRY(reader_expr(&t->bytes, r, document_get(root, "bytes"), "bytes"));
	if (need && !document_get(root, need))
		return reader_missing(r, root, "the task", need);
	if (!t->flops && !t->bytes && !t->count)
		return reader_missing(r, root, "the task", "flops' or 'bytes");
	if (!t->unit && t->flops && is_integer_work(t))
		t->unit = xstrdup("OPS");
	return NULL;
}

static struct error *read_metric(const struct task_reader *r,
				 const struct yaml *root)
{
	struct task *t = r->task;
	const struct yaml *wanted = document_get(root, "metric");
	const struct yaml *timing = wanted;
	const struct yaml *batch = document_get(root, "batch");
	const struct yaml *class = document_get(root, "class");
	int metric = METRIC_LATENCY, demanded = LAUNCH_ANY;
	int cache = t->language == LANGUAGE_CUDA ? CACHE_COLD : CACHE_WARM;
	int64_t threads = 1;

	if (wanted && wanted->kind == YAML_MAPPING) {
		TRY(read_quantity(r, wanted));
		timing = document_get(wanted, "timing");
	}
	TRY(reader_choice(&metric, r, timing, "metric", WORDS_METRIC));
	TRY(reader_choice(&cache, r, document_get(root, "cache"), "cache",
			  WORDS_CACHE));
	TRY(reader_int(&threads, r, document_get(root, "threads"), "threads",
		       of_task("threads")));
	if (class && t->language != LANGUAGE_CUDA)
		return reader_refuse(r, class, "class",
				     "it goes with tasks for a GPU only");
	TRY(reader_choice(&demanded, r, class, "class", WORDS_CLASS));
	t->launch_class = (enum launch_class)demanded;
	t->metric = (enum metric)metric;
	t->cache = (enum cache_state)cache;
	t->threads = (unsigned)threads;
	t->batch = t->metric == METRIC_THROUGHPUT ? 16 : 1;
	if (batch && t->metric == METRIC_LATENCY)
		return reader_refuse(r, batch, "batch",
				     "it goes with metric: throughput only");
	TRY(reader_int(&t->batch, r, batch, "batch", of_task("batch")));
	return read_work(r, root);
}

static struct error *read_within(double *out, const struct task_reader *r,
				 const struct yaml *y, const char *where,
				 const struct key *k, const char *allowed)
{
	TRY(reader_double(out, r, y, where));
	if (y && !(*out >= k->low && (!(k->high > 0) || *out <= k->high)))
		return reader_refuse(r, y, where, allowed);
	return NULL;
}

struct error *task_read_rtol_atol(double *rtol, double *atol,
				  const struct task_reader *r,
				  const struct yaml *y, const char *where)
{
	cleanup_free char *where_rtol = xasprintf("%s.rtol", where);
	cleanup_free char *where_atol = xasprintf("%s.atol", where);

	TRY(read_within(rtol, r, document_get(y, "rtol"), where_rtol,
			task_key(keys_own_tolerance, 0, "rtol"),
			"it is not negative"));
	return read_within(atol, r, document_get(y, "atol"), where_atol,
			   task_key(keys_own_tolerance, 0, "atol"),
			   "it is not negative");
}

/* Beside floating outputs an integer is an index or a count that must be equal
 * whatever they may be off; where all are integers the task means them. */
static void apply_to_integers(struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++)
		if (task_is_output(t, i) &&
		    dtype_is_float(t->argument[i].dtype))
			return;
	for (size_t i = 0; i < t->n_arguments; i++) {
		struct argument *a = &t->argument[i];

		if (!task_is_output(t, i) || a->has_tolerance)
			continue;
		a->has_tolerance = true;
		a->rtol = t->tolerance.rtol;
		a->atol = t->tolerance.atol;
	}
}

static struct error *read_tolerance(const struct task_reader *r,
				    const struct yaml *y)
{
	struct tolerance *tol = &r->task->tolerance;

	tol->factor = 2;
	if (!y)
		return NULL;
	TRY(reader_keys(r, y, "tolerance", keys_tolerance, 0));
	TRY(read_within(
		&tol->factor, r, document_get(y, "factor"), "tolerance.factor",
		task_key(keys_tolerance, 0, "factor"), "it is from 1 to 1000"));
	TRY(task_read_rtol_atol(&tol->rtol, &tol->atol, r, y, "tolerance"));
	tol->absolute = document_get(y, "rtol") || document_get(y, "atol");
	if (tol->absolute && document_get(y, "factor"))
		return reader_refuse(
			r, y, "tolerance",
			"it is factor, or rtol and atol, not both");
	if (tol->absolute)
		apply_to_integers(r->task);
	return NULL;
}

const char *sanitizer_name(enum sanitizer_tool t)
{
	static const char *const names[SANITIZER_COUNT] = {
		"memcheck", "racecheck", "initcheck", "synccheck"};

	return names[t];
}

static struct error *read_suite(const struct task_reader *r,
				const struct yaml *y)
{
	int which = 0;

	TRY(reader_choice(&which, r, y, "suite", WORDS_SUITE));
	r->task->kernelbench = y != NULL;
	return NULL;
}

/* true, false, or a list of tools. */
static struct error *read_sanitize(const struct task_reader *r,
				   const struct yaml *y)
{
	struct task *t = r->task;
	bool wanted = false;

	if (y && !task_compiles_cuda(t))
		return reader_refuse(r, y, "sanitize",
				     "it goes with language: cuda only");
	if (!y || y->kind != YAML_SEQUENCE) {
		TRY(reader_bool(&wanted, r, y, "sanitize"));
		t->sanitizers = wanted ? SANITIZERS_DEFAULT : 0;
		return NULL;
	}
	for (size_t i = 0; i < y->n; i++) {
		int tool = 0;

		TRY(reader_choice(&tool, r, &y->item[i], "sanitize",
				  WORDS_SANITIZERS));
		t->sanitizers |= 1U << tool;
	}
	return t->sanitizers ? NULL
			     : reader_refuse(r, y, "sanitize",
					     "true, false, or a list of tools");
}

/* The limits on the spending of the whole run. */
static struct error *read_spending(struct budget_limits *out,
				   const struct task_reader *r,
				   const struct yaml *y)
{
	const struct yaml *money = document_get(y, "money");

	TRY(reader_int(&out->steps, r, document_get(y, "steps"), "budget.steps",
		       task_key(keys_budget, 0, "steps")));
	TRY(reader_int(&out->tokens, r, document_get(y, "tokens"),
		       "budget.tokens", task_key(keys_budget, 0, "tokens")));
	TRY(reader_double(&out->dollars, r, money, "budget.money"));
	if (money && !(out->dollars > 0))
		return reader_refuse(r, money, "budget.money",
				     "it must be a positive number of dollars");
	return reader_seconds(&out->gpu_seconds, r, document_get(y, "gpu_time"),
			      "budget.gpu_time");
}

static struct error *read_ceiling(double *out, const struct task_reader *r,
				  const struct yaml *y)
{
	TRY(reader_double(out, r, y, "budget.ceiling"));
	if (y && !(*out > 0 && *out <= 1))
		return reader_refuse(r, y, "budget.ceiling",
				     "it must be a share of what the card can "
				     "do, such as 0.95");
	return NULL;
}

static struct error *read_limits(const struct task_reader *r,
				 const struct yaml *root)
{
	struct task *t = r->task;
	const struct yaml *limits = document_get(root, "limits");
	const struct yaml *budget = document_get(root, "budget");

	int64_t check = 1;

	t->timeout_seconds = 10;
	t->build_seconds =
		t->language == LANGUAGE_CUDA || t->project.object ? 300 : 60;
	t->memory_bytes = (uint64_t)1 << 30;
	if (limits) {
		TRY(reader_keys(r, limits, "limits", keys_limits, 0));
		TRY(reader_seconds(&t->build_seconds, r,
				   document_get(limits, "build"),
				   "limits.build"));
		TRY(reader_seconds(&t->timeout_seconds, r,
				   document_get(limits, "timeout"),
				   "limits.timeout"));
		TRY(reader_bytes(&t->memory_bytes, r,
				 document_get(limits, "memory"),
				 "limits.memory"));
	}
	if (budget) {
		TRY(reader_keys(r, budget, "budget", keys_budget, 0));
		TRY(reader_int(&t->budget.attempts, r,
			       document_get(budget, "attempts"),
			       "budget.attempts",
			       task_key(keys_budget, 0, "attempts")));
		TRY(reader_seconds(&t->budget.seconds, r,
				   document_get(budget, "time"),
				   "budget.time"));
		TRY(read_spending(&t->budget, r, budget));
		TRY(read_ceiling(&t->budget.ceiling, r,
				 document_get(budget, "ceiling")));
	}
	TRY(reader_int(&check, r, document_get(root, "check"), "check",
		       of_task("check")));
	t->check = (unsigned)check;
	TRY(reader_bool(&t->deterministic, r,
			document_get(root, "deterministic"), "deterministic"));
	TRY(read_suite(r, document_get(root, "suite")));
	TRY(reader_bool(&t->no_slower_case, r,
			document_get(root, "no_slower_case"),
			"no_slower_case"));
	return read_sanitize(r, document_get(root, "sanitize"));
}

/* `off`, or a mapping with what differs from the defaults. */
static struct error *read_supervisor(const struct task_reader *r,
				     const struct yaml *y)
{
	struct supervisor_rules *rules = &r->task->supervisor;
	int64_t stall, lineages;
	int off = 0;

	*rules = (struct supervisor_rules)SUPERVISOR_RULES_DEFAULT;
	if (!y)
		return NULL;
	if (y->kind == YAML_SCALAR) {
		TRY(reader_choice(&off, r, y, "supervisor",
				  of_task("supervisor")->choices));
		*rules = (struct supervisor_rules){0};
		return NULL;
	}
	stall = (int64_t)rules->stall;
	lineages = (int64_t)rules->max_lineages;
	TRY(reader_keys(r, y, "supervisor", keys_supervisor, 0));
	TRY(reader_int(&stall, r, document_get(y, "stall"), "supervisor.stall",
		       task_key(keys_supervisor, 0, "stall")));
	TRY(reader_seconds(&rules->patience, r, document_get(y, "patience"),
			   "supervisor.patience"));
	TRY(reader_int(&lineages, r, document_get(y, "lineages"),
		       "supervisor.lineages",
		       task_key(keys_supervisor, 0, "lineages")));
	rules->stall = (size_t)stall;
	rules->max_lineages = (size_t)lineages;
	return NULL;
}

static struct error *read_islands(const struct task_reader *r,
				  const struct yaml *y)
{
	struct island_rules *rules = &r->task->islands;
	int64_t count = 0, attempts, accepted;

	*rules = (struct island_rules)ISLAND_RULES_DEFAULT;
	if (!y)
		return NULL;
	attempts = (int64_t)rules->attempts;
	accepted = (int64_t)rules->accepted;
	TRY(reader_keys(r, y, "islands", keys_islands, 0));
	TRY(reader_needed(r, y, "islands", keys_islands, 0));
	TRY(reader_int(&count, r, document_get(y, "count"), "islands.count",
		       task_key(keys_islands, 0, "count")));
	TRY(reader_int(&attempts, r, document_get(y, "attempts"),
		       "islands.attempts",
		       task_key(keys_islands, 0, "attempts")));
	TRY(reader_int(&accepted, r, document_get(y, "accepted"),
		       "islands.accepted",
		       task_key(keys_islands, 0, "accepted")));
	rules->count = (size_t)count;
	rules->attempts = (size_t)attempts;
	rules->accepted = (size_t)accepted;
	return NULL;
}

/* ---- the operator -------------------------------------------------------- */

static struct json *scalar_to_json(const struct yaml *y)
{
	cleanup_json struct json *holder = json_object();
	bool truth = str_eq(y->text, "true");
	char *end;
	double v = strtod(y->text, &end);

	if (y->plain && (truth || str_eq(y->text, "false")))
		json_set_bool(holder, "v", truth);
	else if (y->plain && *y->text && !*end && isfinite(v))
		json_set_double(holder, "v", v);
	else
		json_set_string(holder, "v", y->text);
	return json_dup(json_get(holder, "v"));
}

/* YAML as JSON: the operator reads its own settings. */
static struct json *to_json(const struct yaml *y)
{
	struct json *j;

	if (y->kind == YAML_SCALAR)
		return scalar_to_json(y);
	j = y->kind == YAML_SEQUENCE ? json_array() : json_object();
	for (size_t i = 0; i < y->n; i++) {
		if (y->kind == YAML_SEQUENCE)
			json_push(j, to_json(&y->item[i]));
		else
			json_set(j, y->key[i], to_json(&y->item[i]));
	}
	return j;
}

static struct error *read_operator(const struct task_reader *r,
				   const struct yaml *y)
{
	static const char *const names[] = {"tuner", "llm", "command",
					    "replay"};
	struct task *t = r->task;
	cleanup_json struct json *settings = json_object();
	const struct yaml *name = y;
	int choice = 0;

	if (y && y->kind == YAML_MAPPING) {
		json_free(settings);
		settings = to_json(y);
		name = document_get(y, "name");
		/* {command: [...]}, {replay: FILE}, {model: NAME} and {roles:
		 * ...} say which operator it is. */
		if (document_get(y, "model") || document_get(y, "roles"))
			choice = 1;
		for (int i = 0; i < (int)ARRAY_SIZE(names) && !name; i++)
			if (document_get(y, names[i]))
				choice = i;
	}
	TRY(reader_choice(&choice, r, name, "operator", WORDS_OPERATOR));
	t->operator_name = xstrdup(names[choice]);
	t->has_operator = y != NULL;
	t->operator_settings = json_print(settings);
	return NULL;
}

const char *task_language(const struct task *t)
{
	static const char *const names[] = {"C", "CUDA", "C++",
					    "a language of its runner"};

	return t->python ? "Python" : names[t->language];
}

static struct error *read_language(struct task_reader *r,
				   const struct yaml *root)
{
	const struct yaml *y = document_get(root, "language");
	int language = 0;

	if (y->kind == YAML_MAPPING)
		return task_read_runner(r, root);
	TRY(reader_choice(&language, r, y, "language", WORDS_LANGUAGE));
	r->task->language = (enum language)language;
	r->task->python = language == LANGUAGE_RUNNER;
	if (r->task->python)
		strvec_push(&r->task->runner, "python");
	return NULL;
}

/* With `device: cuda` a task in Python is one of CUDA whose candidates a runner
 * launches. */
static struct error *read_device(struct task_reader *r, const struct yaml *y)
{
	int device = 0;

	if (y && !r->task->python)
		return reader_refuse(r, y, "device",
				     "it goes with language: python only");
	TRY(reader_choice(&device, r, y, "device", WORDS_DEVICE));
	if (device)
		r->task->language = LANGUAGE_CUDA;
	return NULL;
}

/* What a runner calls one is the runner's affair. */
static struct error *read_entry(struct task_reader *r, const struct yaml *y)
{
	if (r->task->language == LANGUAGE_RUNNER && !r->task->python)
		return reader_word(&r->task->entry, r, y, "entry");
	return reader_function(&r->task->entry, r, y, "entry");
}

/* Kinds of machines, by words that `avogit log --on` takes. */
static struct error *read_portable(const struct task_reader *r,
				   const struct yaml *y)
{
	struct strvec *out = &r->task->portable;

	if (!y)
		return NULL;
	TRY(reader_words(out, r, y, "portable"));
	for (size_t i = 0; i < out->n; i++)
		if (!*out->v[i])
			return reader_refuse(r, y, "portable",
					     "a word names a kind of machine");
	if (out->n < 2 || out->n > TASK_MAX_PORTABLE)
		return error_new(ERROR_TASK,
				 "%s:%zu: portable: found %zu word%s, allowed "
				 "are 2 to %d kinds of machines, such as "
				 "[h100, h200]",
				 r->path, y->line, out->n,
				 out->n == 1 ? "" : "s", TASK_MAX_PORTABLE);
	return NULL;
}

/* How candidates are searched for, whatever scores them. */
static struct error *read_search(const struct task_reader *r,
				 const struct yaml *root)
{
	TRY(read_supervisor(r, document_get(root, "supervisor")));
	TRY(read_islands(r, document_get(root, "islands")));
	TRY(read_knowledge(r, document_get(root, "knowledge")));
	TRY(read_portable(r, document_get(root, "portable")));
	return read_operator(r, document_get(root, "operator"));
}

static struct error *read_reported_root(const struct task_reader *r,
					const struct yaml *root)
{
	struct task *t = r->task;

	if (document_get(root, "entry") || document_get(root, "reference"))
		return reader_refuse(
			r, document_get(root, "score"), "score",
			"it is a command that scores, or entry, "
			"arguments, cases and reference, not both");
	TRY(reader_keys(r, root, "the task", keys_task, IN_REPORTED));
	TRY(reader_needed(r, root, "the task", keys_task, IN_REPORTED));
	TRY(reader_word(&t->name, r, document_get(root, "name"), "name"));
	TRY(read_sources(r, document_get(root, "sources")));
	TRY(task_read_score_build(r, root));
	TRY(read_limits(r, root));
	TRY(task_read_score(r, root));
	return read_search(r, root);
}

static struct error *read_root(struct task_reader *r, const struct yaml *root)
{
	struct task *t = r->task;
	int flags = 0;

	if (document_get(root, "score"))
		return read_reported_root(r, root);
	TRY(reader_keys(r, root, "the task", keys_task, IN_KERNEL));
	TRY(reader_needed(r, root, "the task", keys_task, IN_KERNEL));
	TRY(reader_word(&t->name, r, document_get(root, "name"), "name"));
	TRY(read_language(r, root));
	TRY(read_device(r, document_get(root, "device")));
	TRY(read_sources(r, document_get(root, "sources")));
	if (document_get(root, "include"))
		TRY(read_include(r, document_get(root, "include")));
	TRY(read_entry(r, document_get(root, "entry")));
	TRY(reader_function(&t->prepare, r, document_get(root, "prepare"),
			    "prepare"));
	TRY(reader_setup(&t->setup, r, document_get(root, "setup"), "setup"));
	TRY(task_read_cases(r, root));
	TRY(task_read_arguments(r, document_get(root, "arguments")));
	TRY(task_check_hidden(r, root));
	TRY(read_metric(r, root));
	TRY(task_read_code(r, root));
	TRY(reader_choice(&flags, r, document_get(root, "flags"), "flags",
			  WORDS_FLAGS));
	t->fixed_flags = flags == 1;
	TRY(task_check_runner(r, root));
	TRY(read_tolerance(r, document_get(root, "tolerance")));
	TRY(read_limits(r, root));
	return read_search(r, root);
}

/* A run is named after the task, so the name must be valid in a ref. */
static struct error *check_name(const struct task_reader *r,
				const struct yaml *root)
{
	const char *name = r->task->name;

	if (strlen(name) > 60 || *name == '.' || *name == '-' ||
	    name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
			      "UVWXYZ0123456789_-")])
		return reader_refuse(r, document_get(root, "name"), "name",
				     "it must be at most 60 letters, digits, _ "
				     "and -");
	return NULL;
}

/* Every declared case must be valid: sizes, strides, work. */
static struct error *check_cases(const struct task *t)
{
	for (size_t i = 0; i < t->n_cases; i++) {
		struct layout *layout = xcalloc(1, sizeof *layout);
		double work;
		bool is_bytes;
		struct error *err = layout_make(layout, t, &t->cases[i], false);

		free(layout);
		TRY(err);
		TRY(task_work(&work, &is_bytes, t, &t->cases[i]));
	}
	return NULL;
}

/* Patterns of files get the folder as a prefix, so its name must not contain
 * characters of patterns. */
static struct error *check_folder(const struct task *t)
{
	const char *odd = strpbrk(t->path, "*?[\\");

	if (!odd)
		return NULL;
	return error_new(ERROR_TASK,
			 "%s: its path has a '%c', which would be taken for a "
			 "pattern of files: rename the file or its folder",
			 t->path, *odd);
}

struct error *task_parse(struct task **out, const char *path, const char *text,
			 size_t len)
{
	cleanup_document struct yaml *root = NULL;
	cleanup_task struct task *t = xcalloc(1, sizeof *t);
	struct task_reader r = {path, t};

	t->path = xstrdup(path);
	t->prefix = folder_of(path);
	TRY(check_folder(t));
	TRY(document_parse(&root, path, text, len));
	TRY(read_root(&r, root));
	TRY(check_name(&r, root));
	TRY(check_cases(t));
	*out = steal(&t);
	return NULL;
}
