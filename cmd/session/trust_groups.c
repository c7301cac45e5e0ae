#include "cmd/session/trust_groups.h"

#include "core/base/json.h"

static const char *const group_names[] = {
	[TRUST_LAUNCHER] = "launcher",
	[TRUST_OPERATOR] = "operator",
	[TRUST_SYNC] = "sync",
	[TRUST_PICK] = "pick",
};
_Static_assert(ARRAY_SIZE(group_names) == TRUST_GROUP_COUNT, "a name each");

/* Every value of a task file that reaches out of the sandbox: a key of the
 * mapping that the group is named after. */
static const struct trust_rule {
	enum trust_group group;
	const char *member, *key, *sentence;
} rules[] = {
	{TRUST_LAUNCHER, "command", "launcher.command",
	 "this program starts the launcher, outside the sandbox, with your "
	 "rights"},
	{TRUST_OPERATOR, "command", "operator.command",
	 "this program is the operator: it may use the network"},
	{TRUST_OPERATOR, "env", "operator.env",
	 "the operator gets these variables of your environment"},
	{TRUST_OPERATOR, "folders", "operator.folders",
	 "the operator may read these folders of this machine"},
	{TRUST_OPERATOR, "base_url", "operator.base_url",
	 "the kernel, its scores and your key are sent to this address"},
	{TRUST_OPERATOR, "key_command", "operator.key_command",
	 "this program prints your key, outside the sandbox, with your rights"},
	{TRUST_OPERATOR, "key_env", "operator.key_env",
	 "the key is what this variable of your environment holds"},
};
_Static_assert(ARRAY_SIZE(rules) <= TRUST_ITEMS_MAX, "room for every rule");

const char *trust_group_name(enum trust_group g)
{
	return group_names[g];
}

/* ---- contents ----------------------------------------------------------- */

/* The mapping that a group's keys are in; NULL: none. */
static struct error *settings_of(struct json **out, const struct task *t,
				 enum trust_group group)
{
	struct json *words;

	if (group == TRUST_OPERATOR)
		return json_parse(out, t->operator_settings,
				  strlen(t->operator_settings));
	if (group != TRUST_LAUNCHER || !t->launcher.n)
		return NULL;
	words = json_array();
	for (size_t i = 0; i < t->launcher.n; i++)
		json_push_string(words, t->launcher.v[i]);
	*out = json_object();
	json_set(*out, "command", words);
	return NULL;
}

static struct error *add_item(struct trust *trust, const char *key,
			      const char *sentence, const struct json *value)
{
	cleanup_buf struct buf content = BUF_INIT(TRUST_CONTENT_MAX);
	/* Bidirectional overrides, look-alike letters and what a terminal acts
	 * upon are all beyond ASCII's printable part. */
	cleanup_free char *text = json_print_ascii(value);

	if (trust->n == TRUST_ITEMS_MAX)
		return error_new(ERROR_TASK,
				 "over %d things act outside the sandbox, "
				 "which is more than anybody reads through",
				 TRUST_ITEMS_MAX);
	buf_adds(&content, text);
	if (content.truncated)
		return error_new(ERROR_TASK,
				 "%s is longer than %d characters, which "
				 "nobody reads through: put it into a program "
				 "of your own",
				 key, TRUST_CONTENT_MAX);
	trust->item[trust->n++] = (struct trust_item){
		.key = xstrdup(key),
		.sentence = sentence,
		.content = buf_take(&content),
	};
	return NULL;
}

struct error *trust_add(struct trust *t, const char *key, const char *sentence,
			const char *value)
{
	cleanup_json struct json *list = json_array();

	json_push_string(list, value);
	return add_item(t, key, sentence, json_at(list, 0));
}

struct error *trust_collect(struct trust *out, const struct task *t,
			    enum trust_group group)
{
	cleanup_trust struct trust trust = {.group = group};
	cleanup_json struct json *settings = NULL;

	TRY(error_wrap(settings_of(&settings, t, group), "%s: %s", t->path,
		       trust_group_name(group)));
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		const struct json *value = NULL;

		if (rules[i].group == group)
			value = json_get(settings, rules[i].member);
		if (value)
			TRY(error_wrap(add_item(&trust, rules[i].key,
						rules[i].sentence, value),
				       "%s", t->path));
	}
	*out = trust;
	trust = (struct trust){0};
	return NULL;
}

void trust_digest(char out[HASH_HEX_LEN + 1], const struct trust *t)
{
	struct hash *h = hash_new();

	hash_adds(h, trust_group_name(t->group));
	for (size_t i = 0; i < t->n; i++) {
		hash_adds(h, t->item[i].key);
		hash_adds(h, t->item[i].content);
	}
	hash_finish(out, h);
}

void trust_release(struct trust *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->item[i].key);
		free(t->item[i].content);
	}
	*t = (struct trust){0};
}
