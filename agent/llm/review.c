/* The review of a run by a model. The model sees what was tried and what it
 * gave, and calls one tool, which says where to continue and what to try
 * there. */
#include <inttypes.h>

#include "agent/llm/internal.h"
#include "agent/llm/prompt.h"
#include "core/run/branching.h"

#define FIRST_MAX   ((size_t)128 << 10)
#define REPLIES_MAX 3

static const char schema[] =
	"{\"type\":\"object\",\"properties\":{\"attempt\":{\"type\":"
	"\"integer\",\"description\":\"number of the kept attempt that a "
	"new lineage begins at; 0: the start\"},\"direction\":{\"type\":"
	"\"string\",\"description\":\"what the agent is told to do there, and "
	"why\"}},\"required\":[\"attempt\",\"direction\"],"
	"\"additionalProperties\":false}";

/* A review in progress. */
struct llm_review {
	struct talk talk;
	const struct question *q;
	struct advice advice; /* direction NULL: none yet */
};

static void llm_review_release(struct llm_review *r)
{
	talk_release(&r->talk);
	free(r->advice.direction);
}
DEFINE_RELEASE(llm_review, struct llm_review, llm_review_release)

/* ---- the answer ---------------------------------------------------------- */

static bool find_attempt(size_t *out, const struct population *p,
			 int64_t number)
{
	for (size_t i = p->n; i-- > 0;)
		if (p->attempt[i].number == number && branching_allowed(p, i)) {
			*out = i;
			return true;
		}
	return false;
}

/* Sets the advice, or sets *wrong to what is wrong with the call. free()
 * disposes of *wrong. */
static void heed(struct llm_review *r, const struct tool_call *call,
		 char **wrong)
{
	const struct population *p = r->q->now->population;
	cleanup_json struct json *j = NULL;
	cleanup_error struct error *err =
		json_parse(&j, call->arguments, strlen(call->arguments));
	const char *direction = NULL;
	int64_t number = -1;

	if (!str_eq(call->name, "redirect"))
		*wrong = xasprintf("there is no tool '%.40s'", call->name);
	else if (call->invalid)
		*wrong = xasprintf("its call was invalid: %.200s",
				   call->invalid);
	else if (err || !json_get_int(j, "attempt", &number) ||
		 !json_get_string(j, "direction", &direction) ||
		 !direction[strspn(direction, " \t\r\n")])
		*wrong = xasprintf("its call has no attempt and direction");
	else if (!find_attempt(&r->advice.parent, p, number))
		*wrong = xasprintf("attempt %" PRId64 " was not kept", number);
	else
		r->advice.direction = xstrdup(direction);
}

/* Reads the calls of the last turn until one gives valid advice. */
static void heed_turn(struct llm_review *r, char **wrong)
{
	struct conversation *c = &r->talk.c;
	const struct conversation_turn *turn = &c->turns[c->n_turns - 1];

	for (size_t i = 0; i < turn->n_calls && !r->advice.direction; i++) {
		free(steal(wrong));
		heed(r, &turn->calls[i], wrong);
		if (*wrong)
			conversation_answer(c, i, *wrong, strlen(*wrong), true,
					    NULL);
	}
	if (!turn->n_calls)
		*wrong = xstrdup("it did not call `redirect`");
}

/* A model whose reply has no valid advice is asked again, up to REPLIES_MAX. */
static struct error *take_reply(struct llm_review *r, struct reply *reply)
{
	struct talk *t = &r->talk;
	const bool paused = reply->stop == REPLY_PAUSED;
	cleanup_free char *wrong = NULL;

	if (!talk_take(t, reply))
		return NULL;
	heed_turn(r, &wrong);
	if (r->advice.direction)
		return NULL;
	if (t->turns >= REPLIES_MAX)
		talk_end(t, "%s, %d replies in a row", wrong, REPLIES_MAX);
	else if (!paused && !t->c.turns[t->c.n_turns - 1].n_calls)
		return talk_say(t, prompt_text(&t->model->prompts,
					       "unanswered.md"));
	return NULL;
}

/* ---- asking -------------------------------------------------------------- */

static struct error *converse(struct llm_review *r)
{
	const struct situation *now = r->q->now;
	struct talk *t = &r->talk;
	const struct population *p = now->population;
	cleanup_buf struct buf first = BUF_INIT(FIRST_MAX);

	prompt_review(&first, &t->model->prompts, r->q);
	TRY(conversation_add_tool(
		&t->c, "redirect",
		"Says where the search begins again, and what is done there.",
		schema));
	TRY(talk_begin(t, now->archive, p->record.run, "review", (uint32_t)p->n,
		       first.data, json_object()));
	while (!t->end && !r->advice.direction) {
		cleanup_reply struct reply reply = {0};

		TRY(talk_ask(t, &reply));
		TRY(take_reply(r, &reply));
		if (now->allowance->why_stop(now->allowance))
			talk_end(t, "the run's budget was spent before it "
				    "answered");
	}
	return NULL;
}

static struct error *conclude(struct llm_review *r)
{
	const char *end = r->advice.direction ? r->advice.direction
					      : r->talk.end;

	TRY(talk_keep(&r->talk, end));
	if (!r->advice.direction)
		return error_new(ERROR_NOT_FOUND, "%s", end);
	return NULL;
}

static struct error *advise(struct advisor *self, struct advice *out,
			    const struct question *q)
{
	struct reviewer *reviewer = (struct reviewer *)self;
	CLEANUP(llm_review) struct llm_review r = {.q = q};
	struct error *err;

	talk_init(&r.talk, reviewer->model, q->now->allowance, "reviewer.md",
		  "reviewing the run");
	err = converse(&r);
	if (err) {
		error_free(talk_keep(&r.talk, error_message(err)));
		return err;
	}
	TRY(conclude(&r));
	*out = r.advice;
	r.advice.direction = NULL;
	return NULL;
}

void reviewer_init(struct reviewer *r, struct model *model)
{
	*r = (struct reviewer){
		.advisor = {.name = model_name(model), .advise = advise},
		.model = model,
	};
}

struct error *reviewer_new(struct reviewer **out, const struct task *task,
			   const struct llm_options *o)
{
	struct model *model;

	TRY(model_new(&model, task, o));
	*out = xcalloc(1, sizeof **out);
	reviewer_init(*out, model);
	return NULL;
}

struct advisor *reviewer_advisor(struct reviewer *r)
{
	return &r->advisor;
}

void reviewer_free(struct reviewer *r)
{
	if (!r)
		return;
	model_free(r->model);
	free(r);
}
