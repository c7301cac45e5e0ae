#include <ctype.h>
#include <math.h>

#include "agent/llm/internal.h"
#include "core/base/clock.h"

#define STEPS_DEFAULT	60
#define CONTEXT_DEFAULT 120000
/* Of a frontier model, which thinks before it says something. */
#define TOKENS_DEFAULT	32000
#define SILENCE_DEFAULT 600
#define EFFORT_DEFAULT	"high"

static const char known_keys[] =
	" name protocol base_url model fallback_model max_tokens temperature "
	"effort streaming key_env key_command steps context prices prompts "
	"replay silence roles ";

static struct error *refuse(const struct task *t, const char *key,
			    const char *what)
{
	return error_new(ERROR_TASK, "%s: operator.%s: %s", t->path, key, what);
}

/* ---- single values ------------------------------------------------------- */

static struct error *read_word(char **out, const struct task *t,
			       const struct json *j, const char *key)
{
	const char *s;

	if (!json_get(j, key))
		return NULL;
	if (!json_get_string(j, key, &s) || !*s || strlen(s) > 1000)
		return refuse(t, key, "it must be a word (a number in quotes)");
	free(*out);
	*out = xstrdup(s);
	return NULL;
}

static struct error *read_count(int64_t *out, const struct task *t,
				const struct json *j, const char *key,
				int64_t low, int64_t high)
{
	if (!json_get(j, key))
		return NULL;
	if (!json_get_int(j, key, out) || *out < low || *out > high)
		return refuse(t, key,
			      "it must be a whole number that makes "
			      "sense here");
	return NULL;
}

static struct error *read_span(double *out, const struct task *t,
			       const struct json *j, const char *key)
{
	const char *text;

	if (!json_get(j, key) ||
	    (json_get_double(j, key, out) && isfinite(*out) && *out > 0) ||
	    (json_get_string(j, key, &text) && clock_parse_span(out, text)))
		return NULL;
	return refuse(t, key, "it must be a time such as 90s or 2m");
}

static struct error *read_path(char **out, const struct task *t,
			       const struct json *j, const char *key)
{
	cleanup_free char *word = NULL;

	TRY(read_word(&word, t, j, key));
	if (!word)
		return NULL;
	if (ends_with(word, "/"))
		word[strlen(word) - 1] = '\0';
	if (!path_is_safe(word) || word[strcspn(word, "*?[\\")])
		return refuse(t, key,
			      "it must be a path below the task's folder");
	*out = xasprintf("%s%s", t->prefix, word);
	return NULL;
}

/* ---- the protocol -------------------------------------------------------- */

/* "gpt-5", "gpt-5.6-codex", "gpt-6", "o3", "o4-mini", "codex-mini-latest":
 * models of OpenAI that reason. */
static bool reasons(const char *model)
{
	if (starts_with(model, "gpt-"))
		return strtol(model + 4, NULL, 10) >= 5;
	return starts_with(model, "codex") ||
	       (*model == 'o' && isdigit((unsigned char)model[1]));
}

/* OpenAI's own server has two protocols. Chat Completions drops a model's
 * reasoning between its calls, and some models call no tools there. */
static enum protocol openai_protocol(const struct llm_settings *s)
{
	const char *url = s->server.base_url;
	bool is_vendor = !url || starts_with(url, "https://api.openai.com/");

	return is_vendor && s->model && reasons(s->model) ? PROTOCOL_RESPONSES
							  : PROTOCOL_OPENAI;
}

static struct error *read_protocol(struct llm_settings *s, const char *name,
				   const char *what)
{
	if (str_eq(name, "anthropic"))
		s->protocol = PROTOCOL_ANTHROPIC;
	else if (str_eq(name, "openai"))
		s->protocol = openai_protocol(s);
	else if (str_eq(name, "chat"))
		s->protocol = PROTOCOL_OPENAI;
	else if (str_eq(name, "responses"))
		s->protocol = PROTOCOL_RESPONSES;
	else
		return error_new(ERROR_USAGE,
				 "%s: '%.40s' is not a protocol: there is "
				 "'anthropic'; 'openai', which vLLM, "
				 "llama.cpp, OpenRouter and others speak too; "
				 "and of OpenAI's two 'chat' or 'responses'",
				 what, name);
	return NULL;
}

/* ---- prices -------------------------------------------------------------- */

static bool read_price(double *out, const struct json *j, const char *key,
		       double otherwise)
{
	*out = otherwise;
	return !json_get(j, key) ||
	       (json_get_double(j, key, out) && isfinite(*out) && *out >= 0);
}

static void add_price(struct llm_settings *s, const char *model, struct price p)
{
	GROW(s->prices, s->n_prices, s->prices_cap);
	p.model = xstrdup(model);
	s->prices[s->n_prices++] = p;
}

/* Reads up to four numbers; returns how many, 0 if there is anything else. */
static size_t read_numbers(double out[4], const char *text)
{
	size_t n = 0;
	char *end;

	for (; n < 4; n++, text = end) {
		out[n] = strtod(text, &end);
		if (end == text || !isfinite(out[n]) || out[n] < 0)
			break;
	}
	return text[strspn(text, " \t")] ? 0 : n;
}

/* What the user leaves out of a cache costs what input costs. */
static struct error *read_user_prices(struct llm_settings *s,
				      const struct llm_options *o)
{
	for (size_t i = 0; o->priced && i < o->priced->n; i++) {
		double v[4] = {0};
		size_t n = read_numbers(v, o->prices->v[i]);

		if (n < 2)
			return error_new(
				ERROR_USAGE,
				"avogit.%s.price: '%.60s' is not a price: it "
				"is '%s', in dollars a million tokens",
				o->priced->v[i], o->prices->v[i], PRICE_FORM);
		v[2] = n > 2 ? v[2] : v[0];
		v[3] = n > 3 ? v[3] : v[0];
		add_price(s, o->priced->v[i],
			  (struct price){.input = v[0],
					 .output = v[1],
					 .cache_read = v[2],
					 .cache_write = v[3],
					 .cache_write_long = v[3]});
	}
	return NULL;
}

/* A cache price that the task leaves out is the price of input: vendors differ
 * in what they charge for caches. */
static bool read_price_of(struct price *p, const struct json *j)
{
	for (size_t i = 0; i < json_len(j); i++)
		if (!strstr(" input output cache_read cache_write "
			    "cache_write_long ",
			    json_key(json_at(j, i)) ? json_key(json_at(j, i))
						    : "?"))
			return false;
	return json_get(j, "input") && json_get(j, "output") &&
	       read_price(&p->input, j, "input", 0) &&
	       read_price(&p->output, j, "output", 0) &&
	       read_price(&p->cache_read, j, "cache_read", p->input) &&
	       read_price(&p->cache_write, j, "cache_write", p->input) &&
	       read_price(&p->cache_write_long, j, "cache_write_long",
			  p->cache_write);
}

static struct error *read_prices(struct llm_settings *s, const struct task *t,
				 const struct json *prices)
{
	for (size_t i = 0; i < json_len(prices); i++) {
		const struct json *one = json_at(prices, i);
		struct price p = {0};

		if (!json_key(one) || !read_price_of(&p, one))
			return refuse(t, "prices",
				      "it must be {MODEL: {input: X, output: "
				      "Y}} in dollars a million tokens, with "
				      "cache_read, cache_write and "
				      "cache_write_long where they differ");
		add_price(s, json_key(one), p);
	}
	return NULL;
}

/* ---- roles --------------------------------------------------------------- */

/* Reads the value of a key of a role; what is wrong with it, or NULL. */
static const char *take_role_word(char **out, const struct json *j,
				  const char *key)
{
	const char *s;

	if (!json_get_string(j, key, &s) || !*s || strlen(s) > 1000)
		return "it must be a word (a number in quotes)";
	free(*out);
	*out = xstrdup(s);
	return NULL;
}

static const char *take_budget(struct budget_limits *out, const struct json *j)
{
	for (size_t i = 0; i < json_len(j); i++) {
		const struct json *member = json_at(j, i);
		const char *key = json_key(member) ? json_key(member) : "?";
		bool is_tokens = str_eq(key, "tokens");
		double v = 0;

		if (!is_tokens && !str_eq(key, "steps") &&
		    !str_eq(key, "money"))
			return "it has tokens, money and steps, each of one "
			       "step of the run";
		if (!json_number(member, &v) || !isfinite(v) || v <= 0 ||
		    v > 1e15)
			v = -1;
		if (str_eq(key, "money")) {
			if (v < 0)
				return "money is a number of dollars above 0";
			out->dollars = v;
		} else if (v < 1 || v != floor(v)) {
			return "tokens and steps are whole numbers above 0";
		} else if (is_tokens) {
			out->tokens = (int64_t)v;
		} else {
			out->steps = (int64_t)v;
		}
	}
	return json_len(j) ? NULL : "it must be {tokens: N, money: X}";
}

/* Where the word of this key of a role belongs; NULL: not there. */
static char **role_word(struct role_settings *r, const char *key)
{
	return str_eq(key, "model")	    ? &r->model
	       : str_eq(key, "effort")	    ? &r->effort
	       : str_eq(key, "protocol")    ? &r->server.protocol
	       : str_eq(key, "base_url")    ? &r->server.base_url
	       : str_eq(key, "key_env")	    ? &r->server.key_env
	       : str_eq(key, "key_command") ? &r->server.key_command
					    : NULL;
}

static struct error *read_role(struct role_settings *out, const struct task *t,
			       const char *role, const struct json *j)
{
	const char *none = json_string(j);

	out->there = true;
	if (json_is_null(j) || (none && !*none))
		return NULL;
	for (size_t i = 0; i < json_len(j); i++) {
		const struct json *member = json_at(j, i);
		const char *key = json_key(member), *wrong;
		char **word;

		key = key ? key : "?";
		word = role_word(out, key);
		wrong = word ? take_role_word(word, j, key)
			: str_eq(key, "budget")
				? take_budget(&out->budget, member)
				: "a role has model, effort and budget, and of "
				  "a server of its own protocol, base_url, "
				  "key_env and key_command";
		if (wrong)
			return error_new(ERROR_TASK,
					 "%s: operator.roles.%s.%.40s: %s",
					 t->path, role, key, wrong);
	}
	if (!json_len(j) && none)
		return error_new(ERROR_TASK,
				 "%s: operator.roles.%s: it must be {model: "
				 "NAME, effort: WORD, budget: {...}}, or empty",
				 t->path, role);
	return NULL;
}

static struct error *read_roles(struct llm_settings *s, const struct task *t,
				const struct json *roles)
{
	for (size_t i = 0; i < json_len(roles); i++) {
		const struct json *one = json_at(roles, i);
		enum role role = role_find(json_key(one));

		if (role == ROLE_COUNT)
			return error_new(ERROR_TASK,
					 "%s: operator.roles.%.40s: there is "
					 "no such role: there is planner, "
					 "writer, debugger, searcher, reviewer "
					 "and supervisor",
					 t->path,
					 json_key(one) ? json_key(one) : "[]");
		TRY(read_role(&s->role[role], t, role_name(role), one));
	}
	if (roles && !json_len(roles))
		return refuse(t, "roles",
			      "it must be {planner: {model: NAME}, ...}");
	return NULL;
}

/* The same of the user's configuration, where git makes keys lower-case. */
static char **user_word(struct role_settings *r, const char *key)
{
	return str_eq(key, "model")	   ? &r->model
	       : str_eq(key, "effort")	   ? &r->effort
	       : str_eq(key, "provider")   ? &r->user.protocol
	       : str_eq(key, "baseurl")	   ? &r->user.base_url
	       : str_eq(key, "keycommand") ? &r->user.key_command
					   : NULL;
}

/* "planner.model" and its value, of the user's configuration. */
static struct error *read_user_role(struct llm_settings *s, const char *name,
				    const char *value)
{
	const char *key = strrchr(name, '.') + 1;
	cleanup_free char *of = xstrndup(name, (size_t)(key - 1 - name));
	enum role role = role_find(of);
	struct role_settings *r = &s->role[role == ROLE_COUNT ? 0 : role];
	char *end = NULL, **word;
	double v = strtod(value, &end);

	if (role == ROLE_COUNT || !*value)
		return error_new(ERROR_USAGE,
				 "avogit.%.80s: there is no role of this name, "
				 "or it has no value: the roles are planner, "
				 "writer, debugger, searcher, reviewer and "
				 "supervisor",
				 name);
	r->there = true;
	word = user_word(r, key);
	if (word) {
		free(*word);
		*word = xstrdup(value);
		return NULL;
	}
	if (*end || !isfinite(v) || v <= 0 || v > 1e15)
		return error_new(ERROR_USAGE,
				 "avogit.%.80s: '%.40s' is not a number above "
				 "0, of one step of the run",
				 name, value);
	if (str_eq(key, "money"))
		r->budget.dollars = v;
	else
		r->budget.tokens = MAX((int64_t)v, 1);
	return NULL;
}

static struct error *read_user_roles(struct llm_settings *s,
				     const struct llm_options *o)
{
	for (size_t i = 0; o->role_keys && i < o->role_keys->n; i++)
		TRY(read_user_role(s, o->role_keys->v[i],
				   o->role_values->v[i]));
	return NULL;
}

/* ---- the task's settings ------------------------------------------------- */

static struct error *check_keys(const struct task *t, const struct json *j)
{
	for (size_t i = 0; i < json_len(j); i++) {
		const char *key = json_key(json_at(j, i));
		cleanup_free char *padded = xasprintf(" %s ", key);

		if (!strstr(known_keys, padded))
			return error_new(ERROR_TASK,
					 "%s: operator.%.60s: the llm operator "
					 "knows%.*s",
					 t->path, key,
					 (int)sizeof known_keys - 2,
					 known_keys);
	}
	return NULL;
}

static struct error *read_switches(struct llm_settings *s, const struct task *t,
				   const struct json *j)
{
	if (json_get(j, "streaming") &&
	    !json_get_bool(j, "streaming", &s->streaming))
		return refuse(t, "streaming", "it must be true or false");
	if (!json_get(j, "temperature"))
		return NULL;
	s->has_temperature = true;
	if (!json_get_double(j, "temperature", &s->temperature) ||
	    !(s->temperature >= 0) || s->temperature > 2)
		return refuse(t, "temperature", "it must be from 0 to 2");
	return NULL;
}

static struct error *read_words(struct llm_settings *s, const struct task *t,
				const struct json *j)
{
	TRY(read_word(&s->server.protocol, t, j, "protocol"));
	TRY(read_word(&s->server.base_url, t, j, "base_url"));
	TRY(read_word(&s->model, t, j, "model"));
	TRY(read_word(&s->fallback_model, t, j, "fallback_model"));
	TRY(read_word(&s->effort, t, j, "effort"));
	TRY(read_word(&s->server.key_env, t, j, "key_env"));
	TRY(read_word(&s->server.key_command, t, j, "key_command"));
	TRY(read_path(&s->replay, t, j, "replay"));
	TRY(read_path(&s->prompts, t, j, "prompts"));
	if (s->prompts) {
		char *folder = xasprintf("%s/", s->prompts);

		free(s->prompts);
		s->prompts = folder;
	}
	return NULL;
}

static struct error *read_task(struct llm_settings *s, const struct task *t)
{
	cleanup_json struct json *j = NULL;

	/* Settings of another operator have other keys. */
	if (!str_eq(t->operator_name, "llm") &&
	    !str_eq(t->operator_name, "replay"))
		return NULL;
	TRY(json_parse(&j, t->operator_settings, strlen(t->operator_settings)));
	TRY(check_keys(t, j));
	TRY(read_words(s, t, j));
	TRY(read_count(&s->max_tokens, t, j, "max_tokens", 64, 1000000));
	TRY(read_count(&s->steps, t, j, "steps", 1, 10000));
	TRY(read_count(&s->context, t, j, "context", 4000, 10000000));
	TRY(read_span(&s->silence, t, j, "silence"));
	TRY(read_switches(s, t, j));
	TRY(read_roles(s, t, json_get(j, "roles")));
	return read_prices(s, t, json_get(j, "prices"));
}

/* ---- the user's settings over the task's --------------------------------- */

static void take(char **out, const char *value)
{
	if (!value)
		return;
	free(*out);
	*out = xstrdup(value);
}

/* Without a setting, the model's name shows the vendor. */
static enum protocol usual_protocol(const struct llm_settings *s)
{
	return s->model && !starts_with(s->model, "claude")
		       ? openai_protocol(s)
		       : PROTOCOL_ANTHROPIC;
}

/* The user's settings of a server over the task's. The task's key must go to
 * the task's address only, and that address speaks only the task's protocol. */
static void merge_server(struct server_settings *task, const char *protocol,
			 const char *base_url, const char *key_command)
{
	bool other = protocol &&
		     !(task->protocol && str_eq(task->protocol, protocol));

	if (other || base_url) {
		free(steal(&task->key_env));
		free(steal(&task->key_command));
	}
	if (other)
		free(steal(&task->base_url));
	take(&task->protocol, protocol);
	take(&task->base_url, base_url);
	if (!task->key_env)
		take(&task->key_command, key_command);
}

static bool is_said(const struct server_settings *s)
{
	return s->protocol || s->base_url || s->key_env || s->key_command;
}

static void server_release(struct server_settings *s)
{
	free(s->protocol);
	free(s->base_url);
	free(s->key_env);
	free(s->key_command);
	*s = (struct server_settings){0};
}

/* A key of the operator's must not go to the server of a role, nor the other
 * way round. */
static void take_own_server(struct llm_settings *s, struct role_settings *own)
{
	server_release(&s->server);
	s->server = own->server;
	own->server = (struct server_settings){0};
	merge_server(&s->server, own->user.protocol, own->user.base_url,
		     own->user.key_command);
	free(steal(&s->fallback_model));
}

static bool is_anthropic(const struct llm_settings *s)
{
	return usual_protocol(s) == PROTOCOL_ANTHROPIC;
}

/* A role's model that is named alone may be of another vendor than the
 * operator's, whose key must not go there. An address or a protocol that is
 * named is for both. */
static void take_model_of_role(struct llm_settings *s, const char *model)
{
	const bool was_anthropic = is_anthropic(s);

	take(&s->model, model);
	if (s->server.protocol || s->server.base_url ||
	    is_anthropic(s) == was_anthropic)
		return;
	free(steal(&s->server.key_env));
	free(steal(&s->server.key_command));
}

/* `by_user`: who said it; `key`: of the task. */
static struct error *find_protocol(struct llm_settings *s, const struct task *t,
				   const char *by_user, const char *key)
{
	if (!s->server.protocol) {
		s->protocol = usual_protocol(s);
		return NULL;
	}
	if (by_user)
		return read_protocol(s, s->server.protocol, "the provider");
	return error_wrap(read_protocol(s, s->server.protocol, key), "%s",
			  t->path);
}

/* What is named for the role comes before what is named for the operator. */
static struct error *overlay(struct llm_settings *s, const struct task *t,
			     const struct llm_options *o, enum role role)
{
	struct role_settings *own = &s->role[role];
	const bool alone = is_said(&own->server) || is_said(&own->user);
	cleanup_free char *key =
		alone ? xasprintf("operator.roles.%s.protocol", role_name(role))
		      : xstrdup("operator.protocol");

	if (alone)
		take_own_server(s, own);
	else
		merge_server(&s->server, o->provider, o->base_url,
			     o->key_command);
	take(&s->model, o->model);
	take(&s->effort, o->effort);
	if (alone)
		take(&s->model, own->model);
	else
		take_model_of_role(s, own->model);
	take(&s->effort, own->effort);
	if (s->effort && str_eq(s->effort, "default"))
		free(steal(&s->effort));
	if (o->model || own->model)
		free(steal(&s->fallback_model));
	return find_protocol(s, t, alone ? own->user.protocol : o->provider,
			     key);
}

struct error *llm_settings_read(struct llm_settings *out,
				const struct task *task,
				const struct llm_options *o, enum role role)
{
	cleanup_llm_settings struct llm_settings s = {
		.steps = STEPS_DEFAULT,
		.context = CONTEXT_DEFAULT,
		.max_tokens = TOKENS_DEFAULT,
		.silence = SILENCE_DEFAULT,
		.effort = xstrdup(EFFORT_DEFAULT),
		.streaming = true,
	};

	/* Of two prices of one name the first holds. */
	TRY(read_user_prices(&s, o));
	TRY(read_task(&s, task));
	TRY(read_user_roles(&s, o));
	TRY(overlay(&s, task, o, role));
	*out = s;
	s = (struct llm_settings){0};
	return NULL;
}

void llm_settings_release(struct llm_settings *s)
{
	server_release(&s->server);
	free(s->model);
	free(s->fallback_model);
	free(s->effort);
	free(s->prompts);
	free(s->replay);
	for (size_t i = 0; i < s->n_prices; i++)
		free((char *)s->prices[i].model);
	free(s->prices);
	for (size_t i = 0; i < ROLE_COUNT; i++) {
		free(s->role[i].model);
		free(s->role[i].effort);
		server_release(&s->role[i].server);
		server_release(&s->role[i].user);
	}
	*s = (struct llm_settings){0};
}

/* ---- what is configured and what is missing ------------------------------ */

/* Amazon signs a path with its escapes escaped again, libcurl 7.88 as it is. */
static struct error *check_signable(const char *model)
{
	for (const char *c = model; c && *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-._~", *c))
			return error_new(
				ERROR_USAGE,
				"requests for the model %s cannot be signed "
				"right, for the '%c' in its name: name it by "
				"one without, or use one of Bedrock's own "
				"keys (operator.key_env: "
				"AWS_BEARER_TOKEN_BEDROCK)",
				model, *c);
	return NULL;
}

struct error *llm_find_key(struct api_key *out, const struct llm_settings *s)
{
	if (s->protocol == PROTOCOL_ANTHROPIC && !s->server.key_env &&
	    !s->server.key_command) {
		TRY(key_find_aws(out, s->server.base_url));
		if (out->secret)
			return check_signable(s->model);
	}
	return key_find(out, s->protocol, s->server.key_env,
			s->server.key_command);
}

char *llm_key_place(const struct llm_settings *s)
{
	if (s->server.key_env)
		return xasprintf("set %s", s->server.key_env);
	return xasprintf("set %s, or `git config --global avogit.keyCommand "
			 "'COMMAND'`",
			 protocol_is_openai(s->protocol) ? "OPENAI_API_KEY"
							 : "ANTHROPIC_API_KEY");
}

struct error *llm_files(struct strvec *out, const struct task *task)
{
	const struct llm_options none = {0};
	cleanup_llm_settings struct llm_settings s = {0};

	TRY(llm_settings_read(&s, task, &none, ROLE_WRITER));
	if (s.prompts)
		strvec_push(out, s.prompts);
	if (s.replay)
		strvec_push(out, s.replay);
	return NULL;
}

/* A missing key is not an error. */
static struct error *has_key(bool *out, const struct llm_settings *s)
{
	cleanup_key struct api_key key = {0};
	const char *value = s->server.key_env ? getenv(s->server.key_env)
					      : NULL;

	*out = false;
	if (s->server.key_env && (!value || !*value))
		return NULL;
	TRY(llm_find_key(&key, s));
	*out = key.secret || s->server.base_url;
	return NULL;
}

struct error *llm_lacks(struct llm_lack *out, const struct task *task,
			const struct llm_options *o)
{
	cleanup_llm_settings struct llm_settings s = {0};
	bool found = false;

	TRY(llm_settings_read(&s, task, o, ROLE_WRITER));
	if (o->replay || s.replay)
		return NULL;
	if (s.model)
		TRY(has_key(&found, &s));
	if (found)
		return NULL;
	out->what = s.model ? xasprintf("a model is configured (%s) but no key",
					s.model)
			    : xstrdup("no model is configured");
	out->mend = s.model ? llm_key_place(&s)
			    : xstrdup("`git config --global avogit.model "
				      "MODEL`, its key in ANTHROPIC_API_KEY or "
				      "OPENAI_API_KEY");
	return NULL;
}

void llm_lack_release(struct llm_lack *l)
{
	free(l->what);
	free(l->mend);
}
