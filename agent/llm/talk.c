/* A conversation with a model, for any purpose. */
#include <math.h>
#include <stdarg.h>

#include "agent/llm/internal.h"
#include "agent/llm/prompt.h"
#include "core/base/clock.h"

#define KEEP_RESULTS  6
#define BYTES_A_TOKEN 4	  /* where the server does not count */
#define LOW_WATER     0.6 /* of `context`, left by a clearing */

void talk_init(struct talk *t, struct model *model, struct allowance *allowance,
	       const char *role, const char *doing)
{
	*t = (struct talk){
		.model = model,
		.allowance = allowance,
		.doing = doing,
	};
	conversation_init(&t->c, prompt_text(&model->prompts, role));
}

void talk_release(struct talk *t)
{
	conversation_release(&t->c);
	transcript_release(&t->transcript);
	free(t->words);
	free(t->end);
}

void talk_end(struct talk *t, const char *fmt, ...)
{
	char text[1000];
	va_list args;

	if (t->end)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	t->end = xstrdup(text);
}

struct error *talk_end_after(struct talk *t, struct error *err)
{
	const char *why = t->allowance->why_stop(t->allowance);

	if (error_is(err, ERROR_INTERRUPTED) && why)
		talk_end(t, "%s", stop_words(why));
	else if (error_is(err, ERROR_NOT_FOUND) && model_is_replay(t->model))
		talk_end(t, "%s", error_message(err));
	else
		return err;
	error_free(err);
	return NULL;
}

bool talk_is_interrupted(const struct talk *t)
{
	const char *why = t->allowance->why_stop(t->allowance);

	return why && str_eq(why, "interrupted") && !model_is_replay(t->model);
}

const char *talk_reached(const struct talk *t,
			 const struct budget_limits *limits)
{
	struct budget_limits spending = *limits;

	spending.steps = 0;
	if (limits->steps && t->turns >= limits->steps)
		return "steps";
	return spend_reached(&t->spend, &spending);
}

/* ---- messages ------------------------------------------------------------ */

struct error *talk_begin(struct talk *t, struct archive *archive,
			 const char *run, const char *kind, uint32_t number,
			 const char *first, struct json *begin)
{
	struct error *err = transcript_open(&t->transcript, archive, run, kind,
					    number, &t->model->key);

	json_set_string(begin, "run", run);
	json_set_string(begin, "model", t->model->settings.model);
	json_set_string(begin, "system", t->c.system);
	json_set_string(begin, "text", first);
	conversation_say(&t->c, first);
	if (!err)
		return transcript_event(&t->transcript, "begin", begin);
	json_free(begin);
	return err;
}

struct error *talk_resume(struct talk *t, struct archive *archive,
			  const char *run, const char *kind, uint32_t number)
{
	struct json *j = json_object();
	struct error *err = transcript_open(&t->transcript, archive, run, kind,
					    number, &t->model->key);

	json_set_string(j, "run", run);
	json_set_string(j, "model", t->model->settings.model);
	json_set_int(j, "turns", (int64_t)t->c.n_turns);
	if (!err)
		return transcript_event(&t->transcript, "resumed", j);
	json_free(j);
	return err;
}

struct error *talk_say(struct talk *t, const char *text)
{
	struct json *j = json_object();

	conversation_say(&t->c, text);
	json_set_string(j, "text", text);
	return transcript_event(&t->transcript, "say", j);
}

/* ---- asking -------------------------------------------------------------- */

/* If the transcript cannot be written, the next event reports the error. */
static void on_wait(void *arg, const char *sentence)
{
	struct talk *t = arg;
	struct json *j = json_object();

	json_set_string(j, "text", sentence);
	error_free(transcript_event(&t->transcript, "waiting", j));
	allowance_away(t->allowance, false);
	t->allowance->working(t->allowance, sentence);
	allowance_away(t->allowance, true);
}

static void on_notice(void *arg, const char *sentence)
{
	struct talk *t = arg;
	struct json *j = json_object();

	json_set_string(j, "text", sentence);
	error_free(transcript_event(&t->transcript, "notice", j));
	allowance_away(t->allowance, false);
	t->allowance->notice(t->allowance, sentence);
	allowance_away(t->allowance, true);
}

static void on_minute(void *arg, const char *sentence)
{
	struct talk *t = arg;

	allowance_away(t->allowance, false);
	t->allowance->waiting(t->allowance, sentence);
	allowance_away(t->allowance, true);
}

/* The server asks for a retry after the run's end, so no reply can come. */
static void wait_for_the_end(struct allowance *a)
{
	double left = a->seconds_left(a);
	bool goes_on = true;

	while (goes_on && isfinite(left) && !a->why_stop(a)) {
		allowance_away(a, true);
		goes_on = clock_wait(MAX(left, 0.001), a->stop_requested);
		allowance_away(a, false);
		left = a->seconds_left(a);
	}
}

static struct error *no_reply(struct talk *t, struct error *err)
{
	struct json *j = json_object();

	if (error_is(err, ERROR_INTERRUPTED))
		wait_for_the_end(t->allowance);
	json_set_string(j, "text", error_message(err));
	error_free(transcript_event(&t->transcript, "error", j));
	return err;
}

static void guard(char **text, const struct api_key *key)
{
	char *safe;

	if (!*text || !key->secret || !strstr(*text, key->secret))
		return;
	safe = redact(*text, key);
	free(*text);
	*text = safe;
}

/* A server may repeat the key, and a reply goes into commits and notes. */
static void guard_reply(struct reply *r, const struct api_key *key)
{
	guard(&r->text, key);
	guard(&r->refusal, key);
	/* It goes into the saved step, and back to the server. */
	guard(&r->raw, key);
	for (size_t i = 0; i < r->n_calls; i++) {
		guard(&r->calls[i].name, key);
		guard(&r->calls[i].arguments, key);
		guard(&r->calls[i].invalid, key);
	}
}

static struct error *check_usage(const struct talk *t, const struct reply *r)
{
	const struct budget_limits *b = &t->model->budget;
	double dollars;
	struct price_table own = model_prices(t->model);

	if (r->stop == REPLY_CONTEXT_FULL || r->stop == REPLY_REJECTED)
		return NULL;
	if ((b->tokens || b->dollars > 0) && !r->usage.known)
		return error_new(ERROR_REFUSED,
				 "the server does not say what a reply of %s "
				 "took, so no budget of tokens or money can be "
				 "kept: use one of --steps, --attempts or "
				 "--time",
				 r->model);
	if (b->dollars > 0 && !price_of(&dollars, &own, r->model, &r->usage)) {
		cleanup_free char *command = price_command(r->model);

		return error_new(ERROR_REFUSED,
				 "the price of %s is unknown, so no budget of "
				 "money can be kept: set it by %s, or leave "
				 "--money out",
				 *r->model ? r->model : "the recorded model",
				 command);
	}
	return NULL;
}

/* What the server counted says how many bytes of this conversation a token
 * has. */
static void count_tokens(struct talk *t, const struct reply *r, size_t bytes)
{
	const struct usage *u = &r->usage;
	int64_t tokens = u->input + u->cache_read + u->cache_write;

	if (u->known && tokens > 0)
		t->bytes_a_token = (double)bytes / (double)tokens;
}

static void add_parameters(struct json *j, const struct llm_settings *s)
{
	json_set_string(j, "model", s->model);
	if (s->max_tokens)
		json_set_int(j, "max_tokens", s->max_tokens);
	if (s->has_temperature)
		json_set_double(j, "temperature", s->temperature);
	json_set_string(j, "effort", s->effort);
	json_set_bool(j, "streaming", s->streaming);
}

struct error *talk_ask(struct talk *t, struct reply *r)
{
	struct allowance *a = t->allowance;
	double left = a->seconds_left(a), began = clock_seconds();
	const struct turn_limits limits = {
		.wall_seconds = isfinite(left) ? MAX(left, 0.001) : 0,
		.stop = a->stop_requested,
		.on_wait = on_wait,
		.on_minute = on_minute,
		.on_notice = on_notice,
		.arg = t,
	};
	const size_t bytes = conversation_size(&t->c);
	struct json *request = json_object();
	struct error *err;

	json_set_int(request, "bytes", (int64_t)bytes);
	json_set_int(request, "turns", (int64_t)t->c.n_turns);
	add_parameters(request, &t->model->settings);
	TRY(transcript_event(&t->transcript, "request", request));
	a->working(a, t->doing);
	allowance_away(a, true);
	err = provider_turn(t->model->provider, r, &t->c, &limits);
	allowance_away(a, false);
	model_count(t->model, a, &t->spend);
	if (err)
		return no_reply(t, err);
	t->turns += r->stop != REPLY_REJECTED;
	count_tokens(t, r, bytes);
	guard_reply(r, &t->model->key);
	TRY(transcript_reply(&t->transcript, r, clock_seconds() - began));
	return check_usage(t, r);
}

bool talk_take(struct talk *t, struct reply *r)
{
	const char *why = r->refusal && *r->refusal ? r->refusal
						    : "no reason given";

	if (r->stop == REPLY_REFUSED)
		talk_end(t, "it refused: %.400s", why);
	else if (r->stop == REPLY_REJECTED)
		talk_end(t, "the server rejected the request: %.600s", why);
	else if (r->stop == REPLY_CONTEXT_FULL)
		talk_end(t, "its context is too small: %.600s", why);
	else if (r->stop == REPLY_FILTERED)
		talk_end(t, "the provider filtered its reply: %.400s", why);
	else if (r->text && *r->text) {
		free(t->words);
		t->words = xstrdup(r->text);
	}
	return conversation_take(&t->c, r);
}

/* ---- clearing results ---------------------------------------------------- */

static struct error *clear(size_t *saved, struct talk *t, size_t keep,
			   size_t enough)
{
	struct json *j = json_object();

	*saved = conversation_clear(&t->c, keep, enough);
	t->cleared_at = conversation_size(&t->c);
	json_set_int(j, "bytes", (int64_t)*saved);
	return transcript_event(&t->transcript, "cleared", j);
}

/* Done seldom, and much at a time: each clearing invalidates the provider's
 * prompt cache from the first result that is cleared. Between a clearing and
 * the next the conversation grows by LOW_WATER of the limit, where there is
 * enough to clear, else by an eighth of it. */
struct error *talk_make_room(struct talk *t)
{
	double one = t->bytes_a_token > 0 ? t->bytes_a_token : BYTES_A_TOKEN;
	double limit = (double)t->model->settings.context * one;
	size_t size = conversation_size(&t->c), saved;

	if ((double)size < limit ||
	    (double)size < (double)t->cleared_at + limit / 8)
		return NULL;
	return clear(&saved, t, KEEP_RESULTS,
		     size - (size_t)(limit * LOW_WATER));
}

struct error *talk_clear_all(struct talk *t, const struct reply *full)
{
	const char *said = full->refusal && *full->refusal ? full->refusal
							   : "it says no more";
	size_t saved;

	TRY(clear(&saved, t, 1, SIZE_MAX));
	if (!saved)
		talk_end(t,
			 "its context was full and nothing in it could be "
			 "cleared (%.600s)",
			 said);
	return NULL;
}

/* ---- storing the transcript ---------------------------------------------- */

struct error *talk_keep(struct talk *t, const char *text)
{
	struct json *end = json_object();

	json_set_string(end, "text", text);
	TRY(transcript_event(&t->transcript, "end", end));
	return transcript_keep(&t->transcript);
}
