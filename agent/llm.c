#include "agent/llm_internal.h"
#include "agent/prompt.h"
#include "agent/recording.h"

#define FIRST_MAX	((size_t)256 << 10)
#define RETRIES		8
#define WORDS_SHOWN	600
#define WORKSPACE_SHOWN "the folder that all paths are relative to"

/* ---- opening a step ------------------------------------------------------ */

static void step_release(struct step *s)
{
	conversation_release(&s->c);
	transcript_release(&s->transcript);
	free(s->words);
	free(s->end);
}
DEFINE_RELEASE(step, struct step, step_release)

static struct error *add_tools(struct conversation *c)
{
	size_t n;
	const struct tool *t = tools(&n);

	for (size_t i = 0; i < n; i++)
		TRY(conversation_add_tool(c, t[i].name, t[i].description,
					  t[i].schema));
	return NULL;
}

static struct error *tell_begin(struct step *s, const char *first)
{
	const struct variation *v = s->box.v;
	struct json *j = json_object();

	json_set_string(j, "run", v->population->record.run);
	json_set_string(j, "parent", v->parent->id);
	json_set_int(j, "lineage", v->lineage);
	json_set_string(j, "direction", v->direction);
	json_set_string(j, "model", s->llm->settings.model);
	json_set_string(j, "system", s->c.system);
	json_set_string(j, "text", first);
	return transcript_event(&s->transcript, "begin", j);
}

static struct error *begin(struct step *s)
{
	struct llm *l = s->llm;
	struct variation *v = s->box.v;
	cleanup_buf struct buf first = BUF_INIT(FIRST_MAX);
	cleanup_fileset struct fileset sources = FILESET_INIT;

	TRY(transcript_open(&s->transcript, v->archive,
			    v->population->record.run, v->seed, &l->key));
	TRY(add_tools(&s->c));
	TRY(toolbox_read_sources(&sources, &s->box));
	fileset_id(s->sources, &sources);
	prompt_first(&first, &l->prompts, &s->box, l->settings.steps);
	conversation_say(&s->c, first.data);
	return tell_begin(s, first.data);
}

/* ---- closing it ---------------------------------------------------------- */

/* One paragraph, for people. */
static char *last_words(const char *text)
{
	cleanup_buf struct buf words = BUF_INIT(WORDS_SHOWN);

	for (; text && *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c > ' ')
			buf_addc(&words, (char)c);
		else if (words.len && words.data[words.len - 1] != ' ')
			buf_addc(&words, ' ');
	}
	buf_trim_end(&words);
	if (words.truncated)
		buf_adds(&words, "...");
	return buf_take(&words);
}

/* What was left unscored is scored; adds what came of it. */
static struct error *judge(struct buf *remark, struct step *s)
{
	struct toolbox *box = &s->box;
	cleanup_tool_reply struct tool_reply r;
	bool dirty = false;

	tool_reply_init(&r);
	if (!box->v->may_go_on(box->v))
		return NULL;
	TRY(toolbox_is_dirty(&dirty, box));
	if (!dirty)
		return NULL;
	TRY(toolbox_score(&r, box, "What the model left in its workspace",
			  s->words ? s->words : ""));
	if (r.failed)
		buf_addf(remark, "; what it left was not scored: %.300s",
			 r.text.data);
	else
		buf_adds(remark, "; what it left unscored was scored");
	return NULL;
}

static struct error *conclude(struct step *s, const struct spend *before)
{
	struct llm *l = s->llm;
	cleanup_buf struct buf remark = BUF_INIT(4096);
	cleanup_free char *words = last_words(s->words), *spent = NULL;
	struct spend here = {
		.turns = s->turns,
		.tokens_in = l->counted.tokens_in - before->tokens_in,
		.tokens_hit = l->counted.tokens_hit - before->tokens_hit,
		.tokens_out = l->counted.tokens_out - before->tokens_out,
		.dollars = l->counted.dollars - before->dollars,
		.unpriced = l->counted.unpriced,
	};
	struct json *end = json_object();

	spent = spend_format(&here);
	buf_addf(&remark, "%s: %s",
		 l->settings.model ? l->settings.model : "the recording",
		 s->end);
	TRY(judge(&remark, s));
	buf_addf(&remark, "; %zu attempt%s", s->box.attempts,
		 s->box.attempts == 1 ? "" : "s");
	if (*spent)
		buf_addf(&remark, "; %s", spent);
	if (*words)
		buf_addf(&remark, "; its last words: %s", words);
	json_set_string(end, "text", remark.data);
	TRY(transcript_event(&s->transcript, "end", end));
	TRY(transcript_keep(&s->transcript));
	return s->box.v->remark(s->box.v, remark.data);
}

/* The run ends with the error; what the step came to is kept all the same. */
static struct error *give_up(struct step *s, struct error *err)
{
	cleanup_free char *text = NULL;
	cleanup_error struct error *more = NULL;

	if (error_is(err, ERROR_INTERRUPTED))
		return err;
	text = xasprintf("%s: no reply: %s",
			 s->llm->settings.model ? s->llm->settings.model
						: "the recording",
			 error_message(err));
	more = transcript_keep(&s->transcript);
	error_free(more);
	more = s->box.v->remark(s->box.v, text);
	return err;
}

/* ---- the operator -------------------------------------------------------- */

static struct error *vary(struct variation_operator *self, enum varied *out,
			  struct variation *v)
{
	struct llm *l = (struct llm *)self;
	CLEANUP(step)
	struct step s = {.llm = l, .transcript = TRANSCRIPT_INIT};
	struct spend before = l->counted;
	struct error *err;

	if (!l->restored)
		notes_restore(&l->notes, v->population);
	l->restored = true;
	toolbox_init(&s.box, v);
	s.box.shown = WORKSPACE_SHOWN;
	s.box.notes = &l->notes;
	s.box.knowledge = l->knowledge;
	conversation_init(&s.c, prompt_text(&l->prompts, "system.md"));
	err = begin(&s);
	if (!err)
		err = step_converse(&s);
	if (err)
		return give_up(&s, err);
	TRY(conclude(&s, &before));
	*out = l->exhausted	? VARIED_EXHAUSTED
	       : s.box.attempts ? VARIED
				: VARIED_NOTHING;
	return NULL;
}

static void llm_free(struct variation_operator *self)
{
	struct llm *l = (struct llm *)self;

	if (!l)
		return;
	provider_free(l->provider);
	key_release(&l->key);
	llm_settings_release(&l->settings);
	fileset_release(&l->prompts);
	notes_release(&l->notes);
	free(l->assisted_by);
	free(l);
}
DEFINE_CLEANUP(llm, struct variation_operator, llm_free)

/* ---- making one ---------------------------------------------------------- */

static const char how_to[] =
	"say which by `git config --global avogit.model MODEL` (or --model, or "
	"operator.model in the task)";

static struct error *find_key(struct key *out, const struct llm_settings *s)
{
	return key_find(out, s->protocol, s->key_env, s->key_command);
}

static struct error *check_price(const struct llm_settings *s,
				 const struct budget_limits *b)
{
	const char *const models[] = {s->model, s->fallback_model};
	struct price_table own = llm_prices(s);

	for (size_t i = 0; b->dollars > 0 && i < ARRAY_SIZE(models); i++)
		if (models[i] && !price_find(&own, models[i]))
			return error_new(ERROR_USAGE,
					 "the price of %s is unknown, so no "
					 "budget of money can be kept: give it "
					 "in the task (operator.prices), or "
					 "limit --tokens",
					 models[i]);
	return NULL;
}

static struct error *go_live(struct llm *l)
{
	const struct llm_settings *s = &l->settings;
	cleanup_key struct key key = {0};
	cleanup_strvec struct strvec headers = STRVEC_INIT;
	const struct provider_config config = {
		.protocol = s->protocol,
		.base_url = s->base_url,
		.model = s->model,
		.fallback_model = s->fallback_model,
		.max_tokens = s->max_tokens,
		.temperature = s->has_temperature ? &s->temperature : NULL,
		.effort = s->effort,
		.streaming = s->streaming,
		.stall_seconds = s->silence,
		.retries = RETRIES,
		.extra_headers = &headers,
	};

	if (!s->model)
		return error_new(ERROR_USAGE,
				 "the operator llm needs a model: %s", how_to);
	TRY(check_price(s, &l->budget));
	TRY(find_key(&key, s));
	if (!key.secret && !s->base_url)
		return error_new(ERROR_USAGE,
				 "the operator llm has no key for %s: set %s, "
				 "or `git config --global avogit.keyCommand "
				 "'COMMAND'`",
				 s->model,
				 s->protocol == PROTOCOL_OPENAI
					 ? "OPENAI_API_KEY"
					 : "ANTHROPIC_API_KEY");
	TRY(key_headers(&headers, s->protocol));
	l->key = (struct key){.secret = xstrdup_null(key.secret)};
	return live_provider(&l->provider, &config, &key);
}

/* The user's file, or the task's of the base commit. */
static struct error *play(struct llm *l, const struct llm_options *o)
{
	const struct file_entry *f = NULL;

	free(steal(&l->settings.model));
	l->operator_.name = "replay";
	if (o->replay)
		return replay_provider(&l->provider, o->replay, true);
	if (o->files)
		f = fileset_get(o->files, l->settings.replay);
	if (!f)
		return error_new(ERROR_TASK,
				 "operator.replay: the commit has "
				 "no %s",
				 l->settings.replay);
	return replay_text(&l->provider, f->path, f->data, f->len, true);
}

static struct error *take_prompts(struct llm *l, const struct llm_options *o)
{
	const char *folder = l->settings.prompts;

	for (size_t i = 0; folder && o->files && i < o->files->n; i++) {
		const struct file_entry *f = &o->files->file[i];

		if (starts_with(f->path, folder))
			TRY(fileset_put(&l->prompts, f->path + strlen(folder),
					f->data, f->len, false));
	}
	if (folder && !l->prompts.n)
		return error_new(ERROR_TASK,
				 "operator.prompts: the commit has no file in "
				 "%s",
				 folder);
	return prompts_check(&l->prompts);
}

struct error *llm_new(struct variation_operator **out, const struct task *task,
		      const struct llm_options *o)
{
	struct llm *l = xcalloc(1, sizeof *l);
	CLEANUP(llm)
	struct variation_operator *owner = &l->operator_;

	l->operator_ = (struct variation_operator){
		.name = "llm",
		.estimate = llm_estimate,
		.vary = vary,
		.free = llm_free,
	};
	l->knowledge = o->knowledge;
	l->budget = o->budget;
	notes_init(&l->notes);
	TRY(llm_settings_read(&l->settings, task, o));
	TRY(take_prompts(l, o));
	if (o->replay || l->settings.replay)
		TRY(play(l, o));
	else
		TRY(go_live(l));
	if (o->record)
		TRY(provider_record(l->provider, o->record));
	*out = steal(&owner);
	return NULL;
}

struct error *llm_files(struct strvec *out, const struct task *task)
{
	const struct llm_options none = {0};
	cleanup_llm_settings struct llm_settings s = {0};

	TRY(llm_settings_read(&s, task, &none));
	if (s.prompts)
		strvec_push(out, s.prompts);
	if (s.replay)
		strvec_push(out, s.replay);
	return NULL;
}

struct error *llm_configured(bool *out, const struct task *task,
			     const struct llm_options *o)
{
	cleanup_llm_settings struct llm_settings s = {0};
	cleanup_key struct key key = {0};

	TRY(llm_settings_read(&s, task, o));
	*out = o->replay || s.replay;
	if (*out || !s.model)
		return NULL;
	if (s.key_env && !getenv(s.key_env))
		return NULL;
	TRY(find_key(&key, &s));
	*out = key.secret || s.base_url;
	return NULL;
}
