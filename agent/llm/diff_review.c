/* The review of a change by a model, before it is scored: what the change is to
 * be, and its difference from the parent, are shown; one call answers. No
 * answer is a yes: a reviewer must not stop a run. */
#include "agent/llm/internal.h"
#include "agent/llm/prompt.h"
#include "core/base/text.h"

#define FIRST_MAX    ((size_t)128 << 10)
#define DIFF_MAX     ((size_t)48 << 10)
#define REASON_MAX   ((size_t)2 << 10)
#define REFUSALS_MAX 2 /* in a step: then sources are scored unasked */

static const char schema[] =
	"{\"type\":\"object\",\"properties\":{\"allow\":{\"type\":\"boolean\","
	"\"description\":\"true: it is worth being measured\"},\"reason\":{"
	"\"type\":\"string\",\"description\":\"why; of a no, what the writer "
	"should do instead\"}},\"required\":[\"allow\",\"reason\"],"
	"\"additionalProperties\":false}";

/* A review in progress. */
struct diff_review {
	struct talk talk;
	struct step *s;
	bool answered, allow;
	char *reason;
};

static void diff_review_release(struct diff_review *r)
{
	talk_release(&r->talk);
	free(r->reason);
}
DEFINE_RELEASE(diff_review, struct diff_review, diff_review_release)

/* ---- the answer ---------------------------------------------------------- */

static char *heed(void *arg, const struct tool_call *call)
{
	struct diff_review *r = arg;
	cleanup_json struct json *j = NULL;
	cleanup_buf struct buf reason = BUF_INIT(REASON_MAX);
	cleanup_error struct error *err =
		json_parse(&j, call->arguments, strlen(call->arguments));
	const char *text = "";

	if (!str_eq(call->name, "answer"))
		return xstrdup("there is no such tool");
	if (call->invalid || err || !json_get_bool(j, "allow", &r->allow) ||
	    !json_get_string(j, "reason", &text))
		return xstrdup("its call has no allow and reason");
	text_add_lines(&reason, text, strlen(text));
	buf_trim_end(&reason);
	if (!reason.len && !r->allow)
		return xstrdup("its refusal has no reason");
	r->reason = buf_take(&reason);
	r->answered = true;
	return NULL;
}

/* ---- asking -------------------------------------------------------------- */

static struct error *add_change(struct buf *out, const struct step *s,
				const char *subject, const char *hypothesis)
{
	cleanup_buf struct buf diff = BUF_INIT(DIFF_MAX);

	if (s->roles->plan)
		buf_addf(out, "The plan of the step:\n%s\n\n", s->roles->plan);
	buf_addf(out, "What the change is to be: %.300s\nWhy: %.4000s\n\n",
		 subject, *hypothesis ? hypothesis : "(not said)");
	TRY(toolbox_diff(&diff, &s->box));
	buf_addf(out, "The difference from the parent:\n%s%s", diff.data,
		 diff.truncated ? "\n(cut here)\n" : "");
	return NULL;
}

static struct error *converse(struct diff_review *r, const char *evidence)
{
	struct step *s = r->s;
	struct variation *v = s->box.v;
	struct talk *t = &r->talk;
	const struct answer_form form = {
		.tool = "answer",
		.description = "Says whether the change is measured.",
		.schema = schema,
		.heed = heed,
		.again = "That is no answer: call `answer`.",
		.limits = role_limits(s->llm, ROLE_REVIEWER),
		.spent = "it gave no answer within its budget",
		.stopped = "the run ended before it answered",
	};
	cleanup_buf struct buf first = BUF_INIT(FIRST_MAX);

	prompt_first(&first, &t->model->prompts, role_first(ROLE_REVIEWER),
		     &s->box, form.limits.steps, evidence);
	TRY(answer_offer(t, &form));
	TRY(talk_begin(t, v->archive, v->population->record.run, "reviewer",
		       (uint32_t)v->seed, first.data, json_object()));
	return answer_get(t, &form, r);
}

static struct error *conclude(struct diff_review *r, const char *subject)
{
	struct role_state *roles = r->s->roles;
	bool refused = r->answered && !r->allow;
	cleanup_free char *line =
		xasprintf("%s '%.150s': %.200s",
			  !r->answered ? "no answer on"
			  : refused    ? "refused"
				       : "allowed",
			  subject, r->answered ? r->reason : r->talk.end);
	cleanup_buf struct buf flat = BUF_INIT(600);

	text_add_line(&flat, line, strlen(line));
	TRY(talk_keep(&r->talk, flat.data));
	TRY(role_keep(r->s, &r->talk, ROLE_REVIEWER,
		      refused ? NULL : &roles->review_entry, flat.data,
		      r->reason, NULL));
	roles->refusals += refused;
	roles_link(roles, r->s->box.v);
	return step_save(r->s);
}

static struct error *sources_of(char id[FILESET_ID_LEN + 1],
				const struct toolbox *box)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;

	TRY(toolbox_read_sources(&sources, box));
	fileset_id(id, &sources);
	return NULL;
}

static struct error *ask(struct diff_review *r, const char *subject,
			 const char *hypothesis)
{
	cleanup_buf struct buf evidence = BUF_INIT(FIRST_MAX / 2);
	struct error *err;

	TRY(add_change(&evidence, r->s, subject, hypothesis));
	talk_init(&r->talk, r->s->llm->role_model[ROLE_REVIEWER],
		  r->s->box.v->allowance, role_prompt(ROLE_REVIEWER),
		  role_doing(ROLE_REVIEWER));
	err = converse(r, evidence.data);
	return err ? talk_end_after(&r->talk, err) : NULL;
}

/* The step goes on with the call that asks for this review. */
static struct error *suspend(struct diff_review *r)
{
	talk_end(&r->s->talk, "%s", r->talk.end);
	return talk_keep(&r->talk, r->talk.end);
}

struct error *step_review(struct step *s, char **refusal, const char *subject,
			  const char *hypothesis)
{
	struct role_state *roles = s->roles;
	CLEANUP(diff_review) struct diff_review r = {.s = s};
	char id[FILESET_ID_LEN + 1];
	bool dirty = false;

	*refusal = NULL;
	if (!s->llm->role_model[ROLE_REVIEWER] ||
	    roles->refusals >= REFUSALS_MAX || !s->box.v->may_go_on(s->box.v))
		return NULL;
	TRY(toolbox_is_dirty(&dirty, &s->box));
	TRY(sources_of(id, &s->box));
	if (!dirty || str_eq(id, roles->allowed))
		return NULL;
	TRY(ask(&r, subject, hypothesis));
	if (!r.answered && talk_is_interrupted(&r.talk))
		return suspend(&r);
	memcpy(r.answered && !r.allow ? roles->refused : roles->allowed, id,
	       sizeof id);
	TRY(conclude(&r, subject));
	if (r.answered && !r.allow)
		*refusal = steal(&r.reason);
	return NULL;
}
