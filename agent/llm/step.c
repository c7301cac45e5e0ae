/* How a variation step handles a model's replies. */
#include "agent/llm/internal.h"
#include "agent/llm/prompt.h"

#define CUT_END 3 /* cut replies in a row */
/* How many replies before its last the model is warned. */
#define WARNING 3

/* Some errors only end the step. */
static struct error *no_reply(struct step *s, struct error *err)
{
	s->llm->exhausted |= error_is(err, ERROR_NOT_FOUND) &&
			     model_is_replay(s->talk.model);
	return talk_end_after(&s->talk, err);
}

/* Names the model of this reply as the author of its candidates. */
static void name_model(struct llm *l, const struct reply *r)
{
	free(l->assisted_by);
	l->assisted_by = *r->model ? xasprintf("avogit:%s", r->model) : NULL;
	l->operator_.assisted_by = l->assisted_by;
}

static struct error *was_cut(struct step *s)
{
	if (++s->cut >= CUT_END) {
		talk_end(&s->talk,
			 "%d replies in a row were cut at the length limit",
			 CUT_END);
		return NULL;
	}
	return talk_say(&s->talk,
			prompt_text(&s->talk.model->prompts, "cut.md"));
}

static struct error *was_last(struct step *s)
{
	if (s->role != ROLE_WRITER || s->box.attempts || s->nudged) {
		talk_end(&s->talk, "it ended");
		return NULL;
	}
	s->nudged = true;
	return talk_say(&s->talk,
			prompt_text(&s->talk.model->prompts, "nudge.md"));
}

static struct error *heed(struct step *s, struct reply *r)
{
	const struct conversation *c = &s->talk.c;
	enum reply_stop stop = r->stop;

	if (stop == REPLY_CONTEXT_FULL) {
		TRY(talk_clear_all(&s->talk, r));
		s->rejected = s->talk.end != NULL;
		return NULL;
	}
	s->rejected = stop == REPLY_REJECTED;
	name_model(s->llm, r);
	if (!talk_take(&s->talk, r))
		return NULL;
	if (stop != REPLY_LENGTH)
		s->cut = 0;
	if (stop == REPLY_LENGTH)
		return was_cut(s);
	if (c->turns[c->n_turns - 1].n_calls) {
		TRY(step_save(s));
		return step_run_calls(s);
	}
	return stop == REPLY_PAUSED ? NULL : was_last(s);
}

static struct error *check_end(struct step *s)
{
	struct talk *t = &s->talk;
	const struct budget_limits limits = role_limits(s->llm, s->role);
	const char *why = t->allowance->why_stop(t->allowance);
	const char *own = talk_reached(t, &limits);

	if (t->end)
		return NULL;
	if (why)
		talk_end(t, "%s", stop_words(why));
	else if (own && str_eq(own, "steps"))
		talk_end(t, "it had all its replies of a step");
	else if (own)
		talk_end(t, "its %s of a step %s spent", own,
			 str_eq(own, "tokens") ? "are" : "is");
	else if (limits.steps - t->turns == WARNING && t->turns > WARNING &&
		 s->role == ROLE_WRITER)
		return talk_say(t, prompt_text(&t->model->prompts, "last.md"));
	return NULL;
}

/* A step that goes on may have calls that were not run. */
static struct error *finish_calls(struct step *s)
{
	const struct conversation *c = &s->talk.c;

	if (!c->turns[c->n_turns - 1].n_calls)
		return NULL;
	TRY(step_run_calls(s));
	return check_end(s);
}

struct error *step_converse(struct step *s)
{
	struct talk *t = &s->talk;

	TRY(finish_calls(s));
	for (;;) {
		cleanup_reply struct reply r = {0};
		struct error *err;

		TRY(step_debug(s));
		if (t->end)
			break;
		TRY(talk_make_room(t));
		err = talk_ask(t, &r);
		if (err) {
			TRY(no_reply(s, err));
			continue;
		}
		TRY(heed(s, &r));
		TRY(check_end(s));
		if (!t->end)
			TRY(step_save(s));
	}
	return NULL;
}
