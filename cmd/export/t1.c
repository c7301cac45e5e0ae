#include "cmd/export/t1.h"

#include "cmd/session/tuning.h"
#include "core/task/layout.h"

/* Decimal integers are numbers, as in a run's results (t4.c). */
static bool is_number(const char *value)
{
	char again[32];

	snprintf(again, sizeof again, "%lld", strtoll(value, NULL, 10));
	return str_eq(again, value);
}

static bool is_numeric(const struct tunable *t)
{
	for (size_t i = 0; i < t->n_values; i++)
		if (!is_number(t->value[i]))
			return false;
	return true;
}

/* As text of Python. */
static void add_quoted(struct buf *out, const char *value)
{
	buf_addc(out, '\'');
	for (; *value; value++) {
		if (*value == '\'' || *value == '\\')
			buf_addc(out, '\\');
		buf_addc(out, *value);
	}
	buf_addc(out, '\'');
}

static struct json *parameter_json(const struct tunable *t)
{
	struct json *j = json_object();
	cleanup_buf struct buf values = BUF_INIT(BUF_LIMIT_TEXT);
	bool numeric = is_numeric(t);

	buf_addc(&values, '[');
	for (size_t i = 0; i < t->n_values; i++) {
		buf_adds(&values, i ? ", " : "");
		if (numeric)
			buf_adds(&values, t->value[i]);
		else
			add_quoted(&values, t->value[i]);
	}
	buf_addc(&values, ']');
	json_set_string(j, "Name", t->name);
	json_set_string(j, "Type", numeric ? "int" : "string");
	json_set_string(j, "Values", values.data);
	if (numeric)
		json_set_int(j, "Default",
			     strtoll(t->value[t->current], NULL, 10));
	else
		json_set_string(j, "Default", t->value[t->current]);
	return j;
}

static struct json *condition_json(const struct expr *e)
{
	struct json *j = json_object();
	cleanup_strvec struct strvec names = STRVEC_INIT;
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	expr_symbols(&names, e);
	expr_python(&text, e);
	json_set(j, "Parameters", json_strings(&names));
	json_set_string(j, "Expression", text.data);
	return j;
}

static struct json *space_json(const struct tunables *t)
{
	struct json *j = json_object();
	struct json *parameters = json_array(), *conditions = json_array();

	for (size_t i = 0; i < t->n; i++)
		json_push(parameters, parameter_json(&t->tunable[i]));
	for (size_t i = 0; i < t->n_require; i++)
		json_push(conditions, condition_json(t->require[i]));
	json_set(j, "TuningParameters", parameters);
	json_set(j, "Conditions", conditions);
	return j;
}

/* The host function chooses the grid: there is none to say. */
static struct json *grid_json(void)
{
	struct json *j = json_object();

	json_set_string(j, "X", "1");
	json_set_string(j, "Y", "1");
	json_set_string(j, "Z", "1");
	return j;
}

/* ---- what the kernel is handed ------------------------------------------------ */

static const char *type_name(enum dtype d)
{
	static const char *const names[DTYPE_COUNT] = {
		[DTYPE_F32] = "float",	[DTYPE_F64] = "double",
		[DTYPE_F16] = "half",	[DTYPE_I8] = "int8",
		[DTYPE_I16] = "int16",	[DTYPE_I32] = "int32",
		[DTYPE_I64] = "int64",	[DTYPE_U8] = "uint8",
		[DTYPE_U16] = "uint16", [DTYPE_U32] = "uint32",
		[DTYPE_U64] = "uint64",
	};

	return names[d] ? names[d] : "custom";
}

static const char *access_name(enum direction d)
{
	return d == DIRECTION_IN    ? "ReadOnly"
	       : d == DIRECTION_OUT ? "WriteOnly"
				    : "ReadWrite";
}

static void set_tensor(struct json *j, const struct argument *a,
		       const struct tensor_layout *t)
{
	bool is_filled = a->direction != DIRECTION_OUT;

	json_set_string(j, "Type", type_name(a->dtype));
	json_set_string(j, "MemoryType", "Vector");
	json_set_string(j, "AccessType", access_name(a->direction));
	json_set_int(j, "Size", (int64_t)(t->bytes / dtype_bytes(t->dtype)));
	json_set_string(j, "FillType", is_filled ? "Random" : "Constant");
	json_set_double(j, "FillValue", is_filled ? 1 : 0);
}

static struct error *set_scalar(struct json *j, const struct scalar *s,
				const struct symbols *symbols)
{
	int64_t value = 0;

	json_set_string(j, "Type", type_name(s->dtype));
	json_set_string(j, "MemoryType", "Scalar");
	json_set_string(j, "AccessType", "ReadOnly");
	json_set_string(j, "FillType", "Constant");
	if (!s->value) {
		json_set_double(j, "FillValue", s->constant);
		return NULL;
	}
	TRY(expr_eval(&value, s->value, symbols));
	json_set_int(j, "FillValue", value);
	return NULL;
}

/* Bytes of which T1 has no type. */
static void set_bytes(struct json *j, int64_t bytes)
{
	json_set_string(j, "Type", "custom");
	json_set_string(j, "MemoryType", "Vector");
	json_set_string(j, "AccessType", "ReadWrite");
	json_set_int(j, "TypeSize", 1);
	json_set_int(j, "Size", bytes);
}

static struct error *set_argument(struct json *j, const struct task *task,
				  size_t i, const struct layout *l)
{
	const struct argument *a = &task->argument[i];
	const struct symbols symbols = task_symbols(task, &task->cases[0]);

	json_set_string(j, "Name", a->name);
	if (a->kind == ARGUMENT_SCALAR)
		return set_scalar(j, &a->members[0], &symbols);
	if (a->kind == ARGUMENT_TENSOR)
		set_tensor(j, a, &l->arg[i].tensor);
	else
		set_bytes(j, (int64_t)(l->arg[i].is_tensor
					       ? l->arg[i].tensor.bytes
					       : l->arg[i].value.bytes));
	return NULL;
}

/* Of the first case, as its sizes are the problem's. */
static struct error *set_arguments(struct json *kernel, const struct task *task)
{
	struct json *arguments = json_array(), *size = json_array();
	cleanup_free struct layout *l = xcalloc(1, sizeof *l);

	json_set(kernel, "Arguments", arguments);
	json_set(kernel, "ProblemSize", size);
	if (!task->n_cases)
		return NULL;
	for (size_t i = 0; i < task->symbols.n; i++)
		json_push_double(size, (double)task->cases[0].value[i]);
	TRY(layout_make(l, task, &task->cases[0], false));
	for (size_t i = 0; i < task->n_arguments; i++) {
		struct json *j = json_object();

		json_push(arguments, j);
		TRY(set_argument(j, task, i, l));
	}
	return NULL;
}

/* ---- the file -------------------------------------------------------------------- */

/* A search for who has none of his own, as long as the task's budget. */
static void set_search(struct json *file, const struct task *task)
{
	struct json *search = json_object(), *budgets = json_array();
	struct json *budget = json_object();

	json_set_string(search, "Name", "random_sample");
	json_set(file, "Search", search);
	json_set_string(budget, "Type", "ConfigurationCount");
	json_set_int(budget, "BudgetValue",
		     task->budget.attempts ? task->budget.attempts : 200);
	json_push(budgets, budget);
	json_set(file, "Budget", budgets);
}

static struct json *device_json(const struct task *task)
{
	struct json *j = json_object();

	json_set_int(j, "PlatformId", 0);
	json_set_int(j, "DeviceId", 0);
	json_set_string(j, "Name", task->cuda.arch ? task->cuda.arch : "any");
	return j;
}

static struct json *kernel_json(const struct task *task,
				const struct tunables *t)
{
	struct json *j = json_object();

	json_set_string(j, "Language",
			task->language == LANGUAGE_CUDA ? "CUDA" : "C");
	json_set_string(j, "KernelName",
			task->entry ? task->entry : task->name);
	json_set_string(j, "KernelFile", t->tunable[0].path);
	json_set(j, "GlobalSize", grid_json());
	json_set(j, "LocalSize", grid_json());
	json_set(j, "Device", device_json(task));
	json_set(j, "CompilerOptions", json_strings(&task->flags));
	return j;
}

struct error *t1_write(struct buf *out, size_t *parameters,
		       const struct session *s)
{
	cleanup_tunables struct tunables t = {0};
	cleanup_json struct json *file = json_object();
	cleanup_free char *text = NULL;
	struct json *general = json_object(), *kernel;

	json_set(file, "General", general);
	TRY(tuning_read(&t, s));
	if (!t.n)
		return error_new(ERROR_REFUSED,
				 "export: the sources of the task '%s' declare "
				 "no tunables, of which T1 is a description: "
				 "see docs/task.md",
				 s->at.task->name);
	json_set_string(general, "BenchmarkName", s->at.task->name);
	json_set_string(general, "TimeUnit", "Milliseconds");
	json_set(file, "ConfigurationSpace", space_json(&t));
	kernel = kernel_json(s->at.task, &t);
	json_set(file, "KernelSpecification", kernel);
	TRY(set_arguments(kernel, s->at.task));
	set_search(file, s->at.task);
	text = json_print_pretty(file);
	buf_adds(out, text);
	buf_adds(out, "\n");
	*parameters = t.n;
	return NULL;
}
