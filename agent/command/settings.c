#include <ctype.h>

#include "agent/command/internal.h"
#include "core/base/clock.h"

#define SILENCE_SECONDS 300
#define WORDS_MAX	64

static struct error *refuse(const struct task *t, const char *key,
			    const char *what)
{
	return error_new(ERROR_TASK, "%s: operator.%s: %s", t->path, key, what);
}

/* Reads a list of words or a single word. */
static struct error *read_words(struct strvec *out, const struct task *t,
				const struct json *settings, const char *key)
{
	const struct json *value = json_get(settings, key);
	const char *word;

	if (json_get_string(settings, key, &word)) {
		strvec_push(out, word);
		return NULL;
	}
	if (json_len(value) > WORDS_MAX)
		return refuse(t, key, "it has too many words");
	for (size_t i = 0; i < json_len(value); i++) {
		word = json_string(json_at(value, i));
		if (!word)
			return refuse(t, key,
				      "it must be a list of words (numbers "
				      "in quotes)");
		strvec_push(out, word);
	}
	return NULL;
}

static struct error *read_span(double *out, const struct task *t,
			       const struct json *settings, const char *key)
{
	const char *text;

	if (!json_get(settings, key) || json_get_double(settings, key, out))
		return *out >= 0 ? NULL : refuse(t, key, "it is negative");
	if (json_get_string(settings, key, &text) &&
	    clock_parse_span(out, text))
		return NULL;
	return refuse(t, key, "it must be a time such as 90s, 30m or 1h30m");
}

static bool is_variable(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

static struct error *check(const struct command_settings *s,
			   const struct task *t)
{
	if (!s->words.n || !*s->words.v[0])
		return refuse(t, "command",
			      "missing; it is the program to start and its "
			      "words");
	for (size_t i = 0; i < s->env.n; i++)
		if (!is_variable(s->env.v[i]))
			return refuse(t, "env",
				      "it must be names of variables, without "
				      "values");
	for (size_t i = 0; i < s->folders.n; i++)
		if (*s->folders.v[i] != '/' || strstr(s->folders.v[i], "/.."))
			return refuse(t, "folders",
				      "they must be absolute paths");
	return NULL;
}

static struct error *check_keys(const struct task *t,
				const struct json *settings)
{
	static const char known[] = " name command env folders silence time ";

	for (size_t i = 0; i < json_len(settings); i++) {
		const char *key = json_key(json_at(settings, i));
		cleanup_free char *padded = xasprintf(" %s ", key);

		if (!strstr(known, padded))
			return refuse(t, key,
				      "the command operator knows command, "
				      "env, folders, silence and time");
	}
	return NULL;
}

struct error *command_settings_read(struct command_settings *out,
				    const struct task *t)
{
	cleanup_command_settings struct command_settings s = {
		.silence = SILENCE_SECONDS};
	cleanup_json struct json *j = NULL;

	TRY(json_parse(&j, t->operator_settings, strlen(t->operator_settings)));
	TRY(check_keys(t, j));
	TRY(read_words(&s.words, t, j, "command"));
	TRY(read_words(&s.env, t, j, "env"));
	TRY(read_words(&s.folders, t, j, "folders"));
	TRY(read_span(&s.silence, t, j, "silence"));
	TRY(read_span(&s.seconds, t, j, "time"));
	TRY(check(&s, t));
	*out = s;
	s = (struct command_settings){0};
	return NULL;
}

void command_settings_release(struct command_settings *s)
{
	strvec_release(&s->words);
	strvec_release(&s->env);
	strvec_release(&s->folders);
}
