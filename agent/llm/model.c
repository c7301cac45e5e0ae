/* A model as the user and the task configure it: a live one, or a recording. */
#include "agent/llm/internal.h"
#include "agent/llm/prompt.h"
#include "agent/provider/recording.h"

#define RETRIES 8

static const char how_to[] =
	"say which by `git config --global avogit.model MODEL` (or --model, or "
	"operator.model in the task)";

static struct error *no_key(const struct llm_settings *s)
{
	cleanup_free char *place = llm_key_place(s);

	return error_new(ERROR_USAGE, "there is no key for %s: %s", s->model,
			 place);
}

static struct error *check_price(const struct model *m)
{
	const struct llm_settings *s = &m->settings;
	const struct budget_limits *b = &m->budget;
	const char *const models[] = {s->model, s->fallback_model};
	struct price_table own = model_prices(m);

	for (size_t i = 0; b->dollars > 0 && i < ARRAY_SIZE(models); i++) {
		cleanup_free char *command = NULL;

		if (!models[i] || price_find(&own, models[i]))
			continue;
		command = price_command(models[i]);
		return error_new(ERROR_USAGE,
				 "the price of %s is unknown, so no budget of "
				 "money can be kept: set it by %s, or in the "
				 "task (operator.prices), or limit --tokens",
				 models[i], command);
	}
	return NULL;
}

static struct error *renew_key(void *arg, struct api_key *out)
{
	struct model *m = arg;

	TRY(llm_find_key(out, &m->settings));
	if (!out->secret)
		return NULL;
	key_release(&m->key);
	m->key = (struct api_key){.secret = xstrdup(out->secret)};
	return NULL;
}

static struct error *go_live(struct model *m, double patience)
{
	const struct llm_settings *s = &m->settings;
	cleanup_key struct api_key key = {0};
	cleanup_strvec struct strvec headers = STRVEC_INIT;
	const struct provider_config config = {
		.protocol = s->protocol,
		.base_url = s->server.base_url,
		.model = s->model,
		.fallback_model = s->fallback_model,
		.max_tokens = s->max_tokens,
		.temperature = s->has_temperature ? &s->temperature : NULL,
		.effort = s->effort,
		.streaming = s->streaming,
		.stall_seconds = s->silence,
		.retries = RETRIES,
		.patience_seconds = patience,
		.renew_key = s->server.key_command && !s->server.key_env
				     ? renew_key
				     : NULL,
		.renew_arg = m,
		.extra_headers = &headers,
	};

	if (!s->model)
		return error_new(ERROR_USAGE, "no model is named: %s", how_to);
	TRY(check_price(m));
	TRY(llm_find_key(&key, s));
	if (!key.secret && !s->server.base_url)
		return no_key(s);
	TRY(key_headers(&headers, s->protocol));
	m->key = (struct api_key){.secret = xstrdup_null(key.secret)};
	return live_provider(&m->provider, &config, &key);
}

/* Plays the user's recording, or the task's one from the base commit. */
static struct error *play(struct model *m, const struct llm_options *o)
{
	const struct file_entry *f = NULL;

	free(steal(&m->settings.model));
	if (o->replay)
		return replay_provider(&m->provider, o->replay, true);
	if (o->files)
		f = fileset_get(o->files, m->settings.replay);
	if (!f)
		return error_new(ERROR_TASK,
				 "operator.replay: the commit has "
				 "no %s",
				 m->settings.replay);
	return replay_text(&m->provider, f->path, f->data, f->len, true);
}

static struct error *take_prompts(struct model *m, const struct llm_options *o)
{
	const char *folder = m->settings.prompts;

	for (size_t i = 0; folder && o->files && i < o->files->n; i++) {
		const struct file_entry *f = &o->files->file[i];

		if (starts_with(f->path, folder))
			TRY(fileset_put(&m->prompts, f->path + strlen(folder),
					f->data, f->len, false));
	}
	if (folder && !m->prompts.n)
		return error_new(ERROR_TASK,
				 "operator.prompts: the commit has no file in "
				 "%s",
				 folder);
	return prompts_check(&m->prompts);
}

struct error *model_new(struct model **out, const struct task *task,
			const struct llm_options *o, enum role role)
{
	cleanup_model struct model *m = xcalloc(1, sizeof *m);

	m->budget = o->budget;
	TRY(llm_settings_read(&m->settings, task, o, role));
	TRY(take_prompts(m, o));
	if (o->replay || m->settings.replay)
		TRY(play(m, o));
	else if (o->plays)
		return error_new(ERROR_USAGE,
				 "the operator replay needs a recording: "
				 "--replay FILE, or operator.replay in the "
				 "task");
	else
		TRY(go_live(m, o->patience));
	if (o->record)
		TRY(provider_record(m->provider, o->record));
	*out = steal(&m);
	return NULL;
}

struct error *model_limit(struct model *m, const struct budget_limits *b)
{
	m->budget.tokens = MAX(m->budget.tokens, b->tokens);
	m->budget.dollars = MAX(m->budget.dollars, b->dollars);
	return model_is_replay(m) ? NULL : check_price(m);
}

void model_free(struct model *m)
{
	if (!m)
		return;
	if (m->borrows_recorder)
		m->provider->recorder = NULL;
	provider_free(m->provider);
	key_release(&m->key);
	llm_settings_release(&m->settings);
	fileset_release(&m->prompts);
	free(m);
}

bool model_is_replay(const struct model *m)
{
	return !m->settings.model;
}

const char *model_name(const struct model *m)
{
	return model_is_replay(m) ? "the recording" : m->settings.model;
}

struct price_table model_prices(const struct model *m)
{
	return (struct price_table){m->settings.prices, m->settings.n_prices};
}
