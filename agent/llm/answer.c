/* A talk that is to give one answer: the model is asked until one call of one
 * tool is valid, and told what is wrong with the others. */
#include <inttypes.h>

#include "agent/llm/internal.h"

struct error *answer_offer(struct talk *t, const struct answer_form *form)
{
	return conversation_add_tool(&t->c, form->tool, form->description,
				     form->schema);
}

/* Reads the calls of the last turn until one is the answer; NULL then, else
 * what is wrong. free() disposes. */
static char *heed_turn(struct talk *t, const struct answer_form *form,
		       void *arg)
{
	const struct conversation_turn *turn = &t->c.turns[t->c.n_turns - 1];
	char *wrong = NULL;

	if (!turn->n_calls)
		return xasprintf("it did not call `%s`", form->tool);
	for (size_t i = 0; i < turn->n_calls; i++) {
		free(wrong);
		wrong = form->heed(arg, &turn->calls[i]);
		if (!wrong)
			return NULL;
		conversation_answer(&t->c, i, wrong, strlen(wrong), true, NULL);
	}
	return wrong;
}

static void check_end(struct talk *t, const struct answer_form *form,
		      const char *wrong)
{
	if (talk_reached(t, &form->limits) && form->spent)
		talk_end(t, "%s", form->spent);
	else if (talk_reached(t, &form->limits))
		talk_end(t, "%s, %" PRId64 " replies in a row", wrong,
			 t->turns);
	else if (t->allowance->why_stop(t->allowance))
		talk_end(t, "%s", form->stopped);
}

struct error *answer_get(struct talk *t, const struct answer_form *form,
			 void *arg)
{
	while (!t->end) {
		cleanup_reply struct reply r = {0};
		cleanup_free char *wrong = NULL;
		bool paused;

		TRY(talk_ask(t, &r));
		paused = r.stop == REPLY_PAUSED;
		if (!talk_take(t, &r))
			continue;
		wrong = heed_turn(t, form, arg);
		if (!wrong)
			return NULL;
		check_end(t, form, wrong);
		if (!t->end && !paused && !t->c.turns[t->c.n_turns - 1].n_calls)
			TRY(talk_say(t, form->again));
	}
	return NULL;
}
