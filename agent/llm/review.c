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

static char *heed(void *arg, const struct tool_call *call)
{
	struct llm_review *r = arg;
	const struct population *p = r->q->now->population;
	cleanup_json struct json *j = NULL;
	cleanup_error struct error *err =
		json_parse(&j, call->arguments, strlen(call->arguments));
	const char *direction = NULL;
	int64_t number = -1;

	if (!str_eq(call->name, "redirect"))
		return xasprintf("there is no tool '%.40s'", call->name);
	if (call->invalid)
		return xasprintf("its call was invalid: %.200s", call->invalid);
	if (err || !json_get_int(j, "attempt", &number) ||
	    !json_get_string(j, "direction", &direction) ||
	    !direction[strspn(direction, " \t\r\n")])
		return xstrdup("its call has no attempt and direction");
	if (!find_attempt(&r->advice.parent, p, number))
		return xasprintf("attempt %" PRId64 " was not kept", number);
	r->advice.direction = xstrdup(direction);
	return NULL;
}

/* ---- asking -------------------------------------------------------------- */

static struct error *converse(struct llm_review *r)
{
	const struct situation *now = r->q->now;
	struct talk *t = &r->talk;
	const struct population *p = now->population;
	const struct answer_form form = {
		.tool = "redirect",
		.description = "Says where the search begins again, and what "
			       "is done there.",
		.schema = schema,
		.heed = heed,
		.again = prompt_text(&t->model->prompts, "unanswered.md"),
		.limits = {.steps = REPLIES_MAX},
		.stopped = "the run's budget was spent before it answered",
	};
	cleanup_buf struct buf first = BUF_INIT(FIRST_MAX);

	prompt_review(&first, &t->model->prompts, r->q);
	TRY(answer_offer(t, &form));
	TRY(talk_begin(t, now->archive, p->record.run, "review", (uint32_t)p->n,
		       first.data, json_object()));
	return answer_get(t, &form, r);
}

static struct error *conclude(struct llm_review *r)
{
	const char *end = r->advice.direction ? r->advice.direction
					      : r->talk.end;

	TRY(talk_keep(&r->talk, end));
	if (!r->advice.direction)
		return error_new(talk_is_interrupted(&r->talk)
					 ? ERROR_INTERRUPTED
					 : ERROR_NOT_FOUND,
				 "%s", end);
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
	out->spend = r.talk.spend;
	if (err) {
		error_free(talk_keep(&r.talk, error_message(err)));
		return err;
	}
	TRY(conclude(&r));
	out->parent = r.advice.parent;
	out->direction = steal(&r.advice.direction);
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

	TRY(model_new(&model, task, o, ROLE_SUPERVISOR));
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
