#include "cmd/export/t1.h"

#include "cmd/session/tuning.h"

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
	json_set(j, "CompilerOptions", json_strings(&task->flags));
	return j;
}

struct error *t1_write(struct buf *out, size_t *parameters,
		       const struct session *s)
{
	cleanup_tunables struct tunables t = {0};
	cleanup_json struct json *file = json_object();
	cleanup_free char *text = NULL;
	struct json *general = json_object();

	TRY(tuning_read(&t, s));
	if (!t.n)
		return error_new(ERROR_REFUSED,
				 "export: the sources of the task '%s' declare "
				 "no tunables, of which T1 is a description: "
				 "see docs/task.md",
				 s->at.task->name);
	json_set_string(general, "BenchmarkName", s->at.task->name);
	json_set_string(general, "TimeUnit", "Milliseconds");
	json_set(file, "General", general);
	json_set(file, "ConfigurationSpace", space_json(&t));
	json_set(file, "KernelSpecification", kernel_json(s->at.task, &t));
	text = json_print_pretty(file);
	buf_adds(out, text);
	buf_adds(out, "\n");
	*parameters = t.n;
	return NULL;
}
