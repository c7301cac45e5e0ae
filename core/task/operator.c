/* Who varies the kernel, with the settings that only it reads. */
#include <math.h>

#include "core/base/json.h"
#include "core/task/reader.h"

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

/* What YAML holds as JSON: the operator reads its own settings. */
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

struct error *task_read_operator(const struct task_reader *r,
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
		/* {command: [...]}, {replay: FILE} and {model: NAME} name
		 * themselves. */
		if (document_get(y, "model"))
			choice = 1;
		for (int i = 0; i < (int)ARRAY_SIZE(names) && !name; i++)
			if (document_get(y, names[i]))
				choice = i;
	}
	TRY(reader_choice(&choice, r, name, "operator",
			  "tuner llm command replay"));
	t->operator_name = xstrdup(names[choice]);
	t->has_operator = y != NULL;
	t->operator_settings = json_print(settings);
	return NULL;
}
