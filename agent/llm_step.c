/* The conversation of a variation step. */
#include <math.h>
#include <stdarg.h>
#include <time.h>

#include "agent/llm_internal.h"
#include "agent/prompt.h"
#include "core/clock.h"

#define CUT_END	      3 /* cut replies in a row */
#define KEEP_RESULTS  6
#define BYTES_A_TOKEN 4
/* Replies before the last at which the model is told that it ends. */
#define WARNING 3

void step_end(struct step *s, const char *fmt, ...)
{
	char text[1000];
	va_list args;

	if (s->end)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	s->end = xstrdup(text);
}

static struct error *say(struct step *s, const char *text)
{
	struct json *j = json_object();

	conversation_say(&s->c, text);
	json_set_string(j, "text", text);
	return transcript_event(&s->transcript, "say", j);
}

/* ---- asking -------------------------------------------------------------- */

/* A transcript that cannot be written is noticed by the next event. */
static void on_wait(void *arg, const char *sentence)
{
	struct step *s = arg;
	struct variation *v = s->box.v;
	struct json *j = json_object();

	json_set_string(j, "text", sentence);
	error_free(transcript_event(&s->transcript, "waiting", j));
	if (v->working)
		v->working(v, sentence);
}

static struct error *tell_error(struct step *s, const struct error *err)
{
	struct json *j = json_object();

	json_set_string(j, "text", error_message(err));
	return transcript_event(&s->transcript, "error", j);
}

/* The server wants to be asked again after the run's time is up: no reply will
 * come before. */
static void wait_for_the_end(struct variation *v)
{
	const struct timespec moment = {.tv_nsec = 50 * 1000 * 1000};

	while (isfinite(v->seconds_left(v)) && !v->why_stop(v))
		nanosleep(&moment, NULL);
}

/* Some ends of a turn are ends of a step and no error. */
static struct error *no_reply(struct step *s, struct error *err)
{
	struct llm *l = s->llm;
	const char *why;

	if (error_is(err, ERROR_INTERRUPTED))
		wait_for_the_end(s->box.v);
	why = s->box.v->why_stop(s->box.v);
	TRY(tell_error(s, err));
	if (error_is(err, ERROR_INTERRUPTED) && why)
		step_end(s, "%s", stop_words(why));
	else if (error_is(err, ERROR_NOT_FOUND) && !l->settings.model) {
		l->exhausted = true;
		step_end(s, "%s", error_message(err));
	} else {
		return err;
	}
	error_free(err);
	return NULL;
}

static void guard(char **text, const struct key *key)
{
	char *safe;

	if (!*text || !key->secret || !strstr(*text, key->secret))
		return;
	safe = redact(*text, key);
	free(*text);
	*text = safe;
}

/* A server may say the key back; what a model says ends up in commits and
 * notes. */
static void guard_reply(struct reply *r, const struct key *key)
{
	guard(&r->text, key);
	guard(&r->refusal, key);
	for (size_t i = 0; i < r->n_calls; i++) {
		guard(&r->calls[i].name, key);
		guard(&r->calls[i].arguments, key);
		guard(&r->calls[i].invalid, key);
	}
}

static struct error *ask(struct step *s, struct reply *r)
{
	struct variation *v = s->box.v;
	double left = v->seconds_left(v), began = clock_seconds();
	const struct turn_limits limits = {
		.wall_seconds = isfinite(left) ? MAX(left, 0.001) : 0,
		.stop = v->stop_requested,
		.on_wait = on_wait,
		.arg = s,
	};
	struct json *request = json_object();
	struct error *err;

	json_set_int(request, "bytes", (int64_t)conversation_size(&s->c));
	json_set_int(request, "turns", (int64_t)s->c.n_turns);
	TRY(transcript_event(&s->transcript, "request", request));
	if (v->working)
		v->working(v, "thinking");
	err = provider_turn(s->llm->provider, r, &s->c, &limits);
	llm_count(s->llm, v);
	if (err)
		return no_reply(s, err);
	s->turns++;
	guard_reply(r, &s->llm->key);
	return transcript_reply(&s->transcript, r, clock_seconds() - began);
}

/* ---- room ---------------------------------------------------------------- */

static struct error *clear(size_t *saved, struct step *s, size_t keep)
{
	struct json *j = json_object();

	*saved = conversation_clear_results(&s->c, keep);
	s->cleared_at = conversation_size(&s->c);
	json_set_int(j, "bytes", (int64_t)*saved);
	return transcript_event(&s->transcript, "cleared", j);
}

/* Seldom: each time costs the prompt's cache. */
static struct error *make_room(struct step *s)
{
	size_t limit = (size_t)s->llm->settings.context * BYTES_A_TOKEN;
	size_t size = conversation_size(&s->c), saved;

	if (size < limit || size < s->cleared_at + limit / 8)
		return NULL;
	return clear(&saved, s, KEEP_RESULTS);
}

static struct error *context_full(struct step *s)
{
	size_t saved;

	TRY(clear(&saved, s, 1));
	if (!saved)
		step_end(s, "its context was full and nothing in it could be "
			    "cleared");
	return NULL;
}

/* ---- what a reply comes to ----------------------------------------------- */

static void keep_words(struct step *s, const struct reply *r)
{
	if (!r->text || !*r->text)
		return;
	free(s->words);
	s->words = xstrdup(r->text);
}

/* Who made the candidates of this reply. */
static void name_model(struct llm *l, const struct reply *r)
{
	free(l->assisted_by);
	l->assisted_by = *r->model ? xasprintf("avogit:%s", r->model) : NULL;
	l->operator_.assisted_by = l->assisted_by;
}

static struct error *was_cut(struct step *s)
{
	if (++s->cut >= CUT_END) {
		step_end(s, "%d replies in a row were cut at the length limit",
			 CUT_END);
		return NULL;
	}
	return say(s, prompt_text(&s->llm->prompts, "cut.md"));
}

static struct error *was_last(struct step *s)
{
	if (s->box.attempts || s->nudged) {
		step_end(s, "it ended");
		return NULL;
	}
	s->nudged = true;
	return say(s, prompt_text(&s->llm->prompts, "nudge.md"));
}

static bool without_turn(struct step *s, const struct reply *r)
{
	const char *why = r->refusal && *r->refusal ? r->refusal
						    : "no reason given";

	if (r->stop == REPLY_REFUSED)
		step_end(s, "it refused: %.400s", why);
	else if (r->stop == REPLY_FILTERED)
		step_end(s, "the provider filtered its reply: %.400s", why);
	return r->stop == REPLY_REFUSED || r->stop == REPLY_FILTERED;
}

static struct error *heed(struct step *s, struct reply *r)
{
	enum reply_stop stop = r->stop;

	if (without_turn(s, r))
		return NULL;
	if (stop == REPLY_CONTEXT_FULL)
		return context_full(s);
	name_model(s->llm, r);
	keep_words(s, r);
	if (!conversation_take(&s->c, r))
		return NULL;
	if (stop != REPLY_LENGTH)
		s->cut = 0;
	if (stop == REPLY_LENGTH)
		return was_cut(s);
	if (s->c.turns[s->c.n_turns - 1].n_calls)
		return step_run_calls(s);
	return stop == REPLY_PAUSED ? NULL : was_last(s);
}

/* ---- the end ------------------------------------------------------------- */

static struct error *check_usage(const struct step *s, const struct reply *r)
{
	const struct budget_limits *b = &s->llm->budget;
	double dollars;
	struct price_table own = llm_prices(&s->llm->settings);

	if (r->stop == REPLY_CONTEXT_FULL)
		return NULL;
	if ((b->tokens || b->dollars > 0) && !r->usage.known)
		return error_new(ERROR_REFUSED,
				 "the server does not say what a reply of %s "
				 "took, so no budget of tokens or money can be "
				 "kept: use one of --steps, --attempts or "
				 "--time",
				 r->model);
	if (b->dollars > 0 && !price_of(&dollars, &own, r->model, &r->usage))
		return error_new(ERROR_REFUSED,
				 "the price of %s is unknown, so no budget of "
				 "money can be kept: give it in the task "
				 "(operator.prices), or leave --money out",
				 *r->model ? r->model : "the recorded model");
	return NULL;
}

static struct error *check_end(struct step *s)
{
	struct variation *v = s->box.v;
	int64_t left = s->llm->settings.steps - s->turns;
	const char *why = v->why_stop(v);

	if (s->end)
		return NULL;
	if (why)
		step_end(s, "%s", stop_words(why));
	else if (left <= 0)
		step_end(s, "it had all its replies of a step");
	else if (left == WARNING && s->turns > WARNING)
		return say(s, "Three replies are left in this step: score what "
			      "is worth it, and write your notes.");
	return NULL;
}

struct error *step_converse(struct step *s)
{
	while (!s->end) {
		cleanup_reply struct reply r = {0};

		TRY(make_room(s));
		TRY(ask(s, &r));
		if (s->end)
			return NULL;
		TRY(check_usage(s, &r));
		TRY(heed(s, &r));
		TRY(check_end(s));
	}
	return NULL;
}
