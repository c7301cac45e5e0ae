#include "agent/llm/internal.h"
#include "agent/llm/prompt.h"
#include "core/base/text.h"

/* So many steps in a row that the server ended, end the run. */
#define REJECTED_MAX	3
#define FIRST_MAX	((size_t)256 << 10)
#define WORDS_SHOWN	600
#define WORKSPACE_SHOWN "the folder that all paths are relative to"

/* ---- opening a step ------------------------------------------------------ */

void step_release(struct step *s)
{
	talk_release(&s->talk);
}

static struct error *add_tools(struct conversation *c, const struct step *s)
{
	size_t n;
	const struct tool *t = tools(&n);

	for (size_t i = 0; i < n; i++)
		if (role_has_tool(s->role, &t[i], s->box.v))
			TRY(conversation_add_tool(
				c, t[i].name, t[i].description, t[i].schema));
	return NULL;
}

/* The transcript's kind: a writer's talk is the step. */
static const char *kind_of(const struct step *s)
{
	return s->role == ROLE_WRITER ? "step" : role_name(s->role);
}

/* The first message of a new talk. */
static struct error *begin_talk(struct step *s)
{
	const struct model *m = s->talk.model;
	struct variation *v = s->box.v;
	cleanup_buf struct buf first = BUF_INIT(FIRST_MAX);
	cleanup_buf struct buf evidence = BUF_INIT(FIRST_MAX / 2);
	struct json *j;

	TRY(role_evidence(&evidence, s));
	prompt_first(&first, &m->prompts, role_first(s->role), &s->box,
		     role_limits(s->llm, s->role).steps, evidence.data);
	if (s->role == ROLE_WRITER && s->roles->plan)
		buf_addf(&first, "\n# The planner's plan for this step\n\n%s\n",
			 s->roles->plan);
	j = json_object();
	json_set_string(j, "parent", variation_parent(v)->id.hex);
	json_set_int(j, "lineage", v->lineage);
	json_set_string(j, "direction", v->direction);
	return talk_begin(&s->talk, v->archive, v->population->record.run,
			  kind_of(s), (uint32_t)v->seed, first.data, j);
}

static void init_talk(struct step *s)
{
	talk_init(&s->talk, s->llm->role_model[s->role], s->box.v->allowance,
		  role_prompt(s->role), role_doing(s->role));
}

/* Goes on where an earlier process was; what it saved may be of another
 * version: then the talk begins again. */
static struct error *resume_talk(struct step *s)
{
	struct variation *v = s->box.v;
	cleanup_error struct error *err = step_restore(s);

	if (!err)
		return talk_resume(&s->talk, v->archive,
				   v->population->record.run, kind_of(s),
				   (uint32_t)v->seed);
	talk_release(&s->talk);
	init_talk(s);
	return begin_talk(s);
}

struct error *step_begin(struct step *s)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;

	init_talk(s);
	TRY(s->resumes ? resume_talk(s) : begin_talk(s));
	TRY(add_tools(&s->talk.c, s));
	TRY(toolbox_read_sources(&sources, &s->box));
	fileset_id(s->sources, &sources);
	/* A talk before it: that one is not held again. */
	return s->llm->has_roles ? step_save(s) : NULL;
}

/* ---- closing a step ------------------------------------------------------ */

/* Shortens the text to one paragraph for people. */
static char *last_words(const char *text)
{
	cleanup_buf struct buf words = BUF_INIT(WORDS_SHOWN);

	if (text)
		text_add_line(&words, text, strlen(text));
	buf_trim_end(&words);
	if (words.truncated)
		buf_adds(&words, "...");
	return buf_take(&words);
}

/* What the reviewer refused is left unscored. */
static struct error *may_judge(bool *out, struct step *s)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;
	char id[FILESET_ID_LEN + 1];

	TRY(toolbox_is_dirty(out, &s->box));
	TRY(toolbox_read_sources(&sources, &s->box));
	fileset_id(id, &sources);
	*out = *out && !str_eq(id, s->roles->refused);
	return NULL;
}

struct error *step_judge(struct buf *remark, struct step *s)
{
	struct toolbox *box = &s->box;
	cleanup_tool_reply struct tool_reply r;
	bool may = false;

	tool_reply_init(&r);
	if (!box->v->may_go_on(box->v))
		return NULL;
	TRY(may_judge(&may, s));
	if (!may)
		return NULL;
	TRY(toolbox_score(&r, box, "What the model left in its workspace",
			  s->talk.words ? s->talk.words : ""));
	if (r.failed)
		buf_addf(remark, "; what it left was not scored: %.300s",
			 r.text.data);
	else
		buf_adds(remark, "; what it left unscored was scored");
	return NULL;
}

static struct error *conclude(struct step *s)
{
	struct talk *t = &s->talk;
	cleanup_buf struct buf remark = BUF_INIT(4096);
	cleanup_free char *words = last_words(t->words);
	cleanup_free char *spent = spend_format(&t->spend);

	buf_addf(&remark, "%s: %s", model_name(t->model), t->end);
	TRY(step_judge(&remark, s));
	buf_addf(&remark, "; %zu attempt%s", s->box.attempts,
		 s->box.attempts == 1 ? "" : "s");
	if (*spent)
		buf_addf(&remark, "; %s", spent);
	if (*words)
		buf_addf(&remark, "; its last words: %s", words);
	TRY(talk_keep(t, remark.data));
	return s->box.v->remark(s->box.v, remark.data);
}

/* The step stays saved, and its edits with it. */
static struct error *suspend(struct step *s)
{
	cleanup_free char *text =
		xasprintf("%s: interrupted in a step, which goes on with the "
			  "run",
			  model_name(s->talk.model));

	TRY(talk_keep(&s->talk, text));
	return s->box.v->remark(s->box.v, text);
}

/* The error ends the run; the transcript and the remark are kept first. */
static struct error *give_up(struct step *s, struct error *err)
{
	cleanup_free char *text = NULL;
	cleanup_error struct error *more = NULL;

	if (error_is(err, ERROR_INTERRUPTED))
		return err;
	text = xasprintf("%s: no reply: %s", model_name(s->talk.model),
			 error_message(err));
	more = talk_keep(&s->talk, text);
	error_free(more);
	more = s->box.v->remark(s->box.v, text);
	return err;
}

/* A server that rejects step after step will go on so. A step that scored is
 * progress, however it ended. */
static struct error *check_rejected(struct llm *l, const struct step *s)
{
	l->rejected = s->rejected && !s->box.attempts ? l->rejected + 1 : 0;
	if (l->rejected < REJECTED_MAX)
		return NULL;
	return error_new(ERROR_REFUSED, "%s: %u steps in a row: %s",
			 model_name(l->model), l->rejected, s->talk.end);
}

/* ---- the operator -------------------------------------------------------- */

/* A talk of a role in this step, from its beginning or from where it was saved,
 * to its end. *over: the run is asked to stop, and the talk stays saved. */
static struct error *hold_talk(struct step *s, bool *over)
{
	struct error *err = step_begin(s);

	if (!err)
		err = step_converse(s);
	if (err)
		return give_up(s, err);
	*over = talk_is_interrupted(&s->talk);
	if (*over)
		return suspend(s);
	if (s->role != ROLE_WRITER)
		return role_conclude(s);
	TRY(conclude(s));
	s->roles->written = true;
	return NULL;
}

static bool has_its_turn(const struct llm *l, const struct role_state *r,
			 enum role role)
{
	return l->role_model[role] &&
	       !(role == ROLE_PLANNER && (r->planned || r->written)) &&
	       !(role == ROLE_WRITER && r->written);
}

/* What was saved is over. */
static struct error *save_nothing(struct variation *v, const struct llm *l)
{
	if (!v->save || model_is_replay(l->model))
		return NULL;
	return v->save(v, NULL);
}

/* Counts the attempts in *attempts. */
static struct error *take_turn(struct llm *l, struct variation *v,
			       struct role_state *r, enum role role,
			       enum role saved, size_t *attempts, bool *over)
{
	CLEANUP(step)
	struct step s = {.llm = l, .role = role, .roles = r};

	s.debugger_resumes = role == ROLE_WRITER && saved == ROLE_DEBUGGER;
	s.resumes = saved == role || s.debugger_resumes;
	toolbox_init(&s.box, v);
	s.box.shown = WORKSPACE_SHOWN;
	s.box.notes = &l->notes;
	s.box.knowledge = l->knowledge;
	TRY(hold_talk(&s, over));
	*attempts += s.box.attempts;
	if (*over)
		return NULL;
	TRY(save_nothing(v, l));
	return role == ROLE_WRITER ? check_rejected(l, &s) : NULL;
}
static struct error *vary(struct variation_operator *self, enum varied *out,
			  struct variation *v)
{
	static const enum role order[] = {ROLE_PLANNER, ROLE_WRITER,
					  ROLE_SEARCHER};
	struct llm *l = (struct llm *)self;
	CLEANUP(role_state) struct role_state r = {.plan = NULL};
	enum role saved = step_saved_role(&r, v);
	size_t attempts = 0;
	bool over = false, begun = false;

	if (!l->restored)
		notes_restore(&l->notes, v->population);
	l->restored = true;
	roles_link(&r, v);
	for (size_t i = 0; i < ARRAY_SIZE(order) && !over; i++) {
		if (!has_its_turn(l, &r, order[i]))
			continue;
		if (begun && (l->exhausted || !v->may_go_on(v)))
			break;
		begun = true;
		TRY(take_turn(l, v, &r, order[i], saved, &attempts, &over));
	}
	v->artefacts = NULL;
	*out = l->exhausted && !over ? VARIED_EXHAUSTED
	       : attempts	     ? VARIED
				     : VARIED_NOTHING;
	return NULL;
}

static void llm_free(struct variation_operator *self)
{
	struct llm *l = (struct llm *)self;

	if (!l)
		return;
	roles_free(l);
	model_free(l->model);
	notes_release(&l->notes);
	free(l->assisted_by);
	free(l->price_note);
	free(l);
}
DEFINE_CLEANUP(llm, struct variation_operator, llm_free)

/* What the estimate says of its price. */
static char *price_note(const struct model *m)
{
	const struct price_table own = model_prices(m);
	const char *model = m->settings.model;
	const struct price *p = model ? price_find(&own, model) : NULL;
	cleanup_free char *command = NULL;

	if (!model || (p && p != price_find(NULL, model)))
		return NULL; /* a recording, or the user's or task's price */
	if (p)
		return xstrdup("prices of " PRICES_DATE);
	command = price_command(model);
	return xasprintf("set it by %s", command);
}

struct error *llm_new(struct variation_operator **out, const struct task *task,
		      const struct llm_options *o)
{
	struct llm *l = xcalloc(1, sizeof *l);
	CLEANUP(llm)
	struct variation_operator *owner = &l->operator_;

	notes_init(&l->notes);
	TRY(model_new(&l->model, task, o, ROLE_WRITER));
	TRY(roles_new(l, task, o));
	reviewer_init(&l->reviewer, l->role_model[ROLE_SUPERVISOR]
					    ? l->role_model[ROLE_SUPERVISOR]
					    : l->model);
	l->knowledge = o->knowledge;
	l->price_note = price_note(l->model);
	l->operator_ = (struct variation_operator){
		.name = model_is_replay(l->model) ? "replay" : "llm",
		.estimate = llm_estimate,
		.price_note = l->price_note,
		.vary = vary,
		.free = llm_free,
		.advisor = &l->reviewer.advisor,
	};
	*out = steal(&owner);
	return NULL;
}
