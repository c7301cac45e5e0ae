/* The roles of the operator: which one works in a step, with which model, tools
 * and limits, and what each leaves in the journal. */
#include <inttypes.h>

#include "agent/llm/internal.h"
#include "agent/llm/prompt.h"
#include "agent/tools/figures.h"
#include "core/base/text.h"
#include "core/run/outcome.h"

#define PLAN_MAX     ((size_t)4 << 10)
#define TEXT_MAX     ((size_t)4 << 10)
#define EVIDENCE_MAX ((size_t)48 << 10)
#define SHOWN_MAX    200

/* ---- what each is -------------------------------------------------------- */

struct role_work {
	const char *prompt, *first, *doing;
	int64_t turns; /* of a step; 0: operator.steps */
	/* With a space around each; NULL: all; "": those that only read. */
	const char *tools;
};

static const struct role_work works[ROLE_COUNT] = {
	[ROLE_PLANNER] = {"planner.md", "plan.md", "planning", 12, ""},
	[ROLE_WRITER] = {"system.md", "step.md", "thinking", 0, NULL},
	[ROLE_DEBUGGER] = {"debugger.md", "debug.md", "debugging", 30,
			   " view search edit write shell build score lineage "
			   "show diff restore knowledge "},
	[ROLE_SEARCHER] = {"searcher.md", "sweep.md", "searching", 30,
			   " view search edit write shell build tune score "
			   "lineage show diff restore knowledge "},
	[ROLE_REVIEWER] = {"diff-reviewer.md", "diff-review.md",
			   "reviewing the change", 3, " "},
	[ROLE_SUPERVISOR] = {"reviewer.md", "review.md", "reviewing the run", 3,
			     " "},
};

const char *role_prompt(enum role role)
{
	return works[role].prompt;
}

const char *role_first(enum role role)
{
	return works[role].first;
}

const char *role_doing(enum role role)
{
	return works[role].doing;
}

bool role_has_tool(enum role role, const struct tool *t,
		   const struct variation *v)
{
	const char *tools = works[role].tools;
	cleanup_free char *padded = xasprintf(" %s ", t->name);

	if (!tool_is_offered(t, v))
		return false;
	return !tools	 ? true
	       : !*tools ? (t->flags & TOOL_READS) != 0
			 : strstr(tools, padded) != NULL;
}

struct budget_limits role_limits(const struct llm *l, enum role role)
{
	const struct llm_settings *s = &l->model->settings;
	struct budget_limits limits = s->role[role].budget;

	if (!limits.steps)
		limits.steps = works[role].turns ? works[role].turns : s->steps;
	return limits;
}

/* ---- their models -------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
	return a && b ? str_eq(a, b) : a == b;
}

static bool same_model(const struct llm_settings *a,
		       const struct llm_settings *b)
{
	return same_text(a->model, b->model) &&
	       same_text(a->effort, b->effort) && a->protocol == b->protocol &&
	       same_text(a->server.base_url, b->server.base_url) &&
	       same_text(a->server.key_env, b->server.key_env) &&
	       same_text(a->server.key_command, b->server.key_command);
}

/* A model that is asked as the operator's is that one. */
static struct error *find_model(struct model **out, struct llm *l,
				const struct task *task,
				const struct llm_options *o, enum role role)
{
	cleanup_llm_settings struct llm_settings s = {0};
	struct llm_options alone = *o;

	*out = l->model;
	if (model_is_replay(l->model))
		return NULL;
	TRY(llm_settings_read(&s, task, o, role));
	if (same_model(&s, &l->model->settings))
		return NULL;
	alone.record = NULL;
	TRY(model_new(out, task, &alone, role));
	(*out)->provider->recorder = l->model->provider->recorder;
	(*out)->borrows_recorder = true;
	return NULL;
}

struct error *roles_new(struct llm *l, const struct task *task,
			const struct llm_options *o)
{
	const struct role_settings *role = l->model->settings.role;

	for (enum role i = ROLE_PLANNER; i < ROLE_COUNT; i++) {
		if (!role[i].there)
			continue;
		l->has_roles = true;
		if (i == ROLE_WRITER)
			l->role_model[i] = l->model;
		else
			TRY(error_wrap(find_model(&l->role_model[i], l, task, o,
						  i),
				       "the %s", role_name(i)));
		TRY(error_wrap(model_limit(l->role_model[i], &role[i].budget),
			       "the %s", role_name(i)));
	}
	l->role_model[ROLE_WRITER] = l->model;
	return NULL;
}

void roles_free(struct llm *l)
{
	for (enum role i = ROLE_PLANNER; i < ROLE_COUNT; i++)
		if (l->role_model[i] != l->model)
			model_free(l->role_model[i]);
}

void role_state_release(struct role_state *r)
{
	free(r->plan);
}

/* ---- what they leave ------------------------------------------------------ */

struct error *role_keep(struct step *s, const struct talk *t, enum role role,
			struct commit_id *id, const char *line,
			const char *text, const char *about)
{
	struct variation *v = s->box.v;
	cleanup_buf struct buf clean = BUF_INIT(TEXT_MAX);
	cleanup_free char *spent = spend_format(&t->spend);
	cleanup_free char *whole = xasprintf("%s: %s%s%s", model_name(t->model),
					     line, *spent ? "; " : "", spent);
	struct commit_id unused;
	struct artefact a = {role, whole, NULL, about, t->spend};

	if (!v->keep_artefact)
		return NULL;
	if (text && *text) {
		text_add_lines(&clean, text, strlen(text));
		a.text = clean.data;
	}
	return v->keep_artefact(v, id ? id : &unused, &a);
}

void roles_link(struct role_state *r, struct variation *v)
{
	snprintf(r->links, sizeof r->links, "%s%s%s", r->plan_entry.hex,
		 *r->plan_entry.hex && *r->review_entry.hex ? " " : "",
		 r->review_entry.hex);
	v->artefacts = *r->links ? r->links : NULL;
}

static char *first_line(const char *text)
{
	cleanup_buf struct buf line = BUF_INIT(SHOWN_MAX);

	text += strspn(text, " \t\r\n#*");
	text_add_line(&line, text, strcspn(text, "\r\n"));
	return buf_take(&line);
}

/* Its last words are the plan. */
static struct error *conclude_plan(struct step *s)
{
	struct role_state *r = s->roles;
	const char *words = s->talk.words ? s->talk.words : "";
	cleanup_buf struct buf plan = BUF_INIT(PLAN_MAX);
	cleanup_free char *line = NULL;

	text_add_lines(&plan, words, strlen(words));
	buf_trim_end(&plan);
	line = plan.len ? first_line(plan.data)
			: xasprintf("no plan: %s", s->talk.end);
	TRY(talk_keep(&s->talk, line));
	TRY(role_keep(s, &s->talk, ROLE_PLANNER,
		      plan.len ? &r->plan_entry : NULL, line,
		      plan.len ? plan.data : NULL, NULL));
	r->planned = true;
	r->plan = plan.len ? buf_take(&plan) : NULL;
	roles_link(r, s->box.v);
	return NULL;
}

static struct error *conclude_search(struct step *s)
{
	const struct population *p = s->box.v->population;
	cleanup_buf struct buf line = BUF_INIT(4096);

	buf_adds(&line, s->talk.end);
	TRY(step_judge(&line, s));
	buf_addf(&line, "; %zu attempt%s", s->box.attempts,
		 s->box.attempts == 1 ? "" : "s");
	TRY(talk_keep(&s->talk, line.data));
	return role_keep(s, &s->talk, ROLE_SEARCHER, NULL, line.data,
			 s->talk.words,
			 s->box.attempts ? p->attempt[p->n - 1].id.hex : NULL);
}

struct error *role_conclude(struct step *s)
{
	return s->role == ROLE_PLANNER ? conclude_plan(s) : conclude_search(s);
}

/* ---- the debugger --------------------------------------------------------- */

static const struct attempt *failed_attempt(const struct step *s)
{
	return population_find(s->box.v->population, s->roles->failed.hex);
}

static struct error *add_failure(struct buf *out, struct step *s)
{
	struct variation *v = s->box.v;
	const struct attempt *a = failed_attempt(s);
	cleanup_buf struct buf diff = BUF_INIT(EVIDENCE_MAX / 2);

	if (!a)
		return NULL;
	figures_add(out, v->population, a, v->archive);
	if (a->subject)
		buf_addf(out, "\nWhat it was to be: %.300s\n", a->subject);
	if (!v->archive->diff)
		return NULL;
	TRY(v->archive->diff(v->archive, &diff, a->parent.hex, a->id.hex));
	buf_addf(out, "\nWhat it changed:\n%s%s", diff.data,
		 diff.truncated ? "\n(cut here)\n" : "");
	return NULL;
}

struct error *role_evidence(struct buf *out, struct step *s)
{
	return s->role == ROLE_DEBUGGER ? add_failure(out, s) : NULL;
}

/* The newest of the debugger's attempts, if it passed. */
static const struct attempt *mended(const struct step *s)
{
	const struct population *p = s->box.v->population;
	const struct attempt *a = &p->attempt[p->n - 1];

	return s->box.attempts && attempt_passes(a) ? a : NULL;
}

static struct error *conclude_debug(struct step *s)
{
	const struct population *p = s->box.v->population;
	const struct attempt *failed = failed_attempt(s), *good;
	cleanup_buf struct buf line = BUF_INIT(4096);
	cleanup_buf struct buf told = BUF_INIT(EVIDENCE_MAX);

	buf_addf(&line, "#%" PRId64 " %s", failed ? failed->number : 0,
		 failed ? attempt_outcome_name(p, failed) : "");
	TRY(step_judge(&line, s));
	good = mended(s);
	if (good)
		buf_addf(&line, "; mended as #%" PRId64, good->number);
	else
		buf_addf(&line, "; not mended: %s", s->talk.end);
	TRY(talk_keep(&s->talk, line.data));
	TRY(role_keep(s, &s->talk, ROLE_DEBUGGER, NULL, line.data,
		      s->talk.words, s->roles->failed.hex));
	buf_addf(&told,
		 "The debugger worked on your attempt %s. The workspace "
		 "is as it left it.\n",
		 line.data);
	if (good)
		figures_add(&told, p, good, s->box.v->archive);
	if (s->talk.words)
		buf_addf(&told, "It says: %.2000s\n", s->talk.words);
	return talk_say(&s->outer->talk, told.data);
}

/* The writer goes on with what the debugger's tools did. */
static void take_over(struct toolbox *to, const struct toolbox *from)
{
	to->attempts += from->attempts;
	to->n_files = from->n_files;
	memcpy(to->scored, from->scored, sizeof to->scored);
	to->unread = 0;
}

struct error *step_debug(struct step *outer)
{
	CLEANUP(step)
	struct step s = {.llm = outer->llm,
			 .role = ROLE_DEBUGGER,
			 .roles = outer->roles,
			 .outer = outer,
			 .resumes = outer->debugger_resumes,
			 .box = outer->box};

	if (outer->role != ROLE_WRITER || !*outer->roles->failed.hex ||
	    !failed_attempt(outer) || !s.box.v->may_go_on(s.box.v))
		return NULL;
	s.box.attempts = 0;
	outer->debugger_resumes = false;
	TRY(step_begin(&s));
	TRY(step_converse(&s));
	if (talk_is_interrupted(&s.talk)) {
		talk_end(&outer->talk, "%s", s.talk.end);
		return talk_keep(&s.talk, s.talk.end);
	}
	TRY(conclude_debug(&s));
	take_over(&outer->box, &s.box);
	outer->roles->failed = commit_id("");
	return step_save(outer);
}
