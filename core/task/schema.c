/* The JSON Schema of a task file, from the tables that the parser reads by. What
 * only a program can say (that a file is there, that an expression has no unknown
 * symbol) it accepts. */
#include "core/task/schema.h"

#include "core/task/keys.h"
#include "core/task/task.h"

static struct json *of_type(const char *type)
{
	struct json *j = json_object();

	json_set_string(j, "type", type);
	return j;
}

/* Text; YAML takes some of what is meant so for a number. */
static struct json *text(const char *pattern, bool or_number)
{
	struct json *j = json_object(), *types = json_array();

	json_push_string(types, "string");
	if (or_number)
		json_push_string(types, "number");
	json_set(j, "type", types);
	json_set_int(j, "minLength", 1);
	if (pattern)
		json_set_string(j, "pattern", pattern);
	return j;
}

static struct json *number(const struct key *k)
{
	struct json *j = of_type(k->type == KEY_INT ? "integer" : "number");

	json_set_double(j, "minimum", k->low);
	if (k->high > 0)
		json_set_double(j, "maximum", k->high);
	return j;
}

static struct json *choice(const char *words)
{
	struct json *j = json_object(), *list = json_array();

	while (*words) {
		size_t len = strcspn(words, " ");
		cleanup_free char *word = xstrndup(words, len);

		json_push_string(list, word);
		words += len + (words[len] == ' ');
	}
	json_set(j, "enum", list);
	return j;
}

/* Takes `items`. */
static struct json *list_of(struct json *items, int64_t least, int64_t most)
{
	struct json *j = of_type("array");

	json_set(j, "items", items);
	json_set_int(j, "minItems", least);
	if (most)
		json_set_int(j, "maxItems", most);
	return j;
}

/* Takes both. */
static struct json *either(struct json *a, struct json *b)
{
	struct json *j = json_object(), *list = json_array();

	json_push(list, a);
	json_push(list, b);
	json_set(j, "anyOf", list);
	return j;
}

static struct json *mapping(const struct key *table, unsigned in);

/* What editors call a kind of argument or of member. */
static const char *title_of(const struct key *table)
{
	static const struct {
		const struct key *table;
		const char *title;
	} titles[] = {
		{keys_tensor, "a tensor"},
		{keys_returned, "what the function returns"},
		{keys_scalar, "a scalar"},
		{keys_struct, "a struct"},
		{keys_workspace, "a workspace"},
		{keys_prepared, "a prepared buffer"},
		{keys_member, "a scalar"},
		{keys_pointer, "a pointer"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		if (titles[i].table == table)
			return titles[i].title;
	return "a mapping";
}

/* One object for each kind of argument, or of member. */
static struct json *any_mapping(const struct key *const *tables)
{
	struct json *j = json_object(), *list = json_array();

	for (; *tables; tables++) {
		struct json *kind = mapping(*tables, 0);

		json_set_string(kind, "title", title_of(*tables));
		json_push(list, kind);
	}
	json_set(j, "anyOf", list);
	return j;
}

static struct json *range_form(void)
{
	struct json *j = json_object(), *list = json_array();

	json_push(list, text("^[0-9]+\\.\\.[0-9]+$", false));
	json_push(list, list_of(number(task_key(keys_range, 0, "low")), 2, 2));
	json_push(list, mapping(keys_range, 0));
	json_set(j, "anyOf", list);
	return j;
}

/* Symbols and what they are. Takes `value`. */
static struct json *symbols_form(const char *name, struct json *its,
				 struct json *value)
{
	struct json *j = of_type("object"), *own = json_object();

	json_set(own, name, its);
	json_set(j, "properties", own);
	json_set(j, "additionalProperties", value);
	return j;
}

static struct json *hidden_form(void)
{
	struct json *j = mapping(keys_hidden, 0);

	json_set(j, "additionalProperties", range_form());
	return j;
}

static struct json *cases_form(void)
{
	struct json *weight = of_type("number");

	json_set_int(weight, "exclusiveMinimum", 0);
	return list_of(symbols_form("weight", weight,
				    number(task_key(keys_range, 0, "low"))),
		       1, TASK_MAX_CASES);
}

static struct json *baselines_form(void)
{
	struct json *j = of_type("object");

	json_set_int(j, "maxProperties", MAX_BASELINES);
	json_set(j, "additionalProperties",
		 either(mapping(keys_baseline, IN_COMPILED),
			mapping(keys_baseline, IN_TORCH)));
	return j;
}

static struct json *form_of(const struct key *k)
{
	static const struct key *const members[] = {keys_member, keys_pointer,
						    NULL};

	switch (k->form) {
	case FORM_ARGUMENTS:
		return list_of(any_mapping(keys_arguments), 1, TASK_MAX_ARGS);
	case FORM_MEMBERS:
		return list_of(any_mapping(members), 1, MAX_MEMBERS);
	case FORM_CASES:
		return cases_form();
	case FORM_HIDDEN:
		return hidden_form();
	case FORM_BASELINES:
		return baselines_form();
	case FORM_OPERATOR:
		return either(choice(k->choices), of_type("object"));
	case FORM_NONE:
		break;
	}
	return json_object();
}

/* What the key holds where it is not a mapping. */
static struct json *single(const struct key *k)
{
	switch (k->type) {
	case KEY_WORD:
		return text(NULL, true);
	case KEY_PATH:
	case KEY_FUNCTION:
		return text(NULL, false);
	case KEY_IDENTIFIER:
		return text("^[A-Za-z_][A-Za-z0-9_]*$", false);
	case KEY_EXPRESSION:
		return text(NULL, true);
	case KEY_EXPRESSIONS:
		return list_of(text(NULL, true), 1, TASK_MAX_DIMS);
	case KEY_INT:
	case KEY_NUMBER:
		return number(k);
	case KEY_BOOL:
		return of_type("boolean");
	case KEY_CHOICE:
		return choice(k->choices);
	case KEY_CHOICES:
		return either(of_type("boolean"),
			      list_of(choice(k->choices), 1, 0));
	case KEY_WORDS:
		return either(text(NULL, true),
			      list_of(text(NULL, true), 1, 0));
	case KEY_SPAN:
		return text("^([0-9.]+[smhd])+$|^[0-9.]+$", true);
	case KEY_BYTES:
		return text("^[0-9.]+ *([KMG]iB)?$", true);
	case KEY_MAPPING:
	case KEY_OTHER:
		break;
	}
	return form_of(k);
}

/* The keys of mappings that depend on where they are. */
static struct json *own_keys(const struct key *k)
{
	if (k->keys == keys_reference)
		return either(mapping(keys_reference, IN_COMPILED),
			      mapping(keys_reference, IN_TORCH));
	return mapping(k->keys, ~0U);
}

static struct json *value_of(const struct key *k)
{
	struct json *j = !k->keys ? single(k)
			 : k->type == KEY_MAPPING
				 ? own_keys(k)
				 : either(single(k), own_keys(k));
	cleanup_free char *help =
		k->usual ? xasprintf("%s (%s)", k->help, k->usual)
			 : xstrdup(k->help);

	json_set_string(j, "description", help);
	return j;
}

static bool is_in(const struct key *k, unsigned in)
{
	return !k->in || (k->in & in);
}

static struct json *source_or_sources(void)
{
	static const char *const names[] = {"source", "sources"};
	struct json *list = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct json *one = json_object(), *needed = json_array();

		json_push_string(needed, names[i]);
		json_set(one, "required", needed);
		json_push(list, one);
	}
	return list;
}

static struct json *mapping(const struct key *table, unsigned in)
{
	struct json *j = of_type("object"), *own = json_object();
	struct json *needed = json_array();

	for (; table->name; table++) {
		if (!is_in(table, in))
			continue;
		json_set(own, table->name, value_of(table));
		if (table->needed)
			json_push_string(needed, table->name);
	}
	json_set(j, "properties", own);
	json_set_bool(j, "additionalProperties", false);
	json_set(j, "required", needed);
	if (json_get(own, "source"))
		json_set(j, "oneOf", source_or_sources());
	return j;
}

/* Of a task of this kind: which keys it has, and which it needs. */
static struct json *kind_of_task(unsigned in)
{
	struct json *j = json_object(), *names = json_object();
	struct json *list = json_array(), *needed = json_array();

	for (const struct key *k = keys_task; k->name; k++) {
		if (!is_in(k, in))
			continue;
		json_push_string(list, k->name);
		if (k->needed)
			json_push_string(needed, k->name);
	}
	json_set(names, "enum", list);
	json_set(j, "propertyNames", names);
	json_set(j, "required", needed);
	return j;
}

struct json *task_schema(void)
{
	struct json *j = mapping(keys_task, ~0U);
	struct json *reported = json_object(), *score = json_array();

	json_remove(j, "required");
	json_set_string(j, "$schema",
			"http://json-schema.org/draft-07/schema#");
	json_set_string(j, "title", "A task of avogit");
	json_push_string(score, "score");
	json_set(reported, "required", score);
	json_set(j, "if", reported);
	json_set(j, "then", kind_of_task(IN_REPORTED));
	json_set(j, "else", kind_of_task(IN_KERNEL));
	return j;
}

/* ---- the list for readers -------------------------------------------------- */

static const char *type_name(const struct key *k)
{
	static const char *const names[] = {
		[KEY_WORD] = "a word",
		[KEY_PATH] = "a path",
		[KEY_IDENTIFIER] = "a name of C",
		[KEY_FUNCTION] = "a function",
		[KEY_EXPRESSION] = "an expression",
		[KEY_INT] = "",
		[KEY_NUMBER] = "",
		[KEY_BOOL] = "`true` or `false`",
		[KEY_CHOICE] = "",
		[KEY_WORDS] = "words",
		[KEY_CHOICES] = "",
		[KEY_EXPRESSIONS] = "expressions",
		[KEY_SPAN] = "a time",
		[KEY_BYTES] = "a size",
		[KEY_MAPPING] = "keys, below",
		[KEY_OTHER] = "",
	};
	static const char *const forms[] = {
		[FORM_NONE] = "",
		[FORM_ARGUMENTS] = "a list, below",
		[FORM_CASES] = "a list of symbols and sizes",
		[FORM_HIDDEN] = "symbols and ranges, below",
		[FORM_BASELINES] = "names, and keys, below",
		[FORM_MEMBERS] = "a list, below",
		[FORM_OPERATOR] = "",
	};

	return k->form ? forms[k->form] : names[k->type];
}

static void add_choices(struct buf *out, const char *words)
{
	while (*words) {
		size_t len = strcspn(words, " ");

		buf_addf(out, "`%.*s`", (int)len, words);
		words += len + (words[len] == ' ');
		if (*words)
			buf_adds(out, strchr(words, ' ') ? ", " : " or ");
	}
}

static void add_type(struct buf *out, const struct key *k)
{
	buf_adds(out, type_name(k));
	if (k->type == KEY_INT)
		buf_addf(out, "%.0f to %.0f", k->low, k->high);
	else if (k->type == KEY_NUMBER && k->high > 0)
		buf_addf(out, "a number from %g to %g", k->low, k->high);
	else if (k->type == KEY_NUMBER)
		buf_addf(out, "a number, at least %g", k->low);
	if (k->type == KEY_CHOICES)
		buf_adds(out, "`true`, `false`, or a list of ");
	if (k->choices)
		add_choices(out, k->choices);
	if (k->form == FORM_OPERATOR)
		buf_adds(out, ", or a mapping of its settings");
	else if (k->keys && k->type != KEY_MAPPING)
		buf_adds(out, "; or keys, below");
}

static const char *without(const struct key *k)
{
	if (k->usual)
		return k->usual;
	return k->needed ? "needed" : "";
}

static void add_table(struct buf *out, const char *title,
		      const struct key *table)
{
	buf_addf(out,
		 "%s\n\n| key | value | without it | meaning |\n"
		 "| --- | --- | --- | --- |\n",
		 title);
	for (; table->name; table++) {
		buf_addf(out, "| `%s` | ", table->name);
		add_type(out, table);
		buf_addf(out, " | %s | %s |\n", without(table), table->help);
	}
	buf_addc(out, '\n');
}

void task_keys_page(struct buf *out)
{
	static const struct {
		const char *title;
		const struct key *table;
	} tables[] = {
		{"The task:", keys_task},
		{"`language`, as a mapping:", keys_language},
		{"`sources`, as a mapping:", keys_sources},
		{"An argument that is a tensor:", keys_tensor},
		{"`fill`, as a mapping:", keys_fill},
		{"`tolerance` of an output:", keys_own_tolerance},
		{"An argument that is a scalar:", keys_scalar},
		{"An argument that is a struct:", keys_struct},
		{"A member of it that is a scalar:", keys_member},
		{"A member of it that is a pointer:", keys_pointer},
		{"A workspace:", keys_workspace},
		{"A buffer that `prepare` fills:", keys_prepared},
		{"What the function returns:", keys_returned},
		{"`hidden`, beside a range for each symbol:", keys_hidden},
		{"A range that is not `LOW..HIGH` or `[LOW, HIGH]`:",
		 keys_range},
		{"`metric`, as a mapping:", keys_metric},
		{"`reference`:", keys_reference},
		{"A baseline:", keys_baseline},
		{"`build`:", keys_build},
		{"`forbidden`:", keys_forbidden},
		{"`tolerance`:", keys_tolerance},
		{"`limits`:", keys_limits},
		{"`budget`:", keys_budget},
		{"`launcher`:", keys_launcher},
		{"`supervisor`, as a mapping:", keys_supervisor},
		{"`islands`:", keys_islands},
		{"`score`:", keys_score},
	};

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		add_table(out, tables[i].title, tables[i].table);
}
