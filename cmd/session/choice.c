#include "cmd/session/choice.h"

#include "agent/tools/tool.h"
#include "cmd/session/knowledge_base.h"
#include "cmd/session/tuning.h"
#include "core/run/supervisor.h"

/* ---- the knowledge base of a run ----------------------------------------- */

/* The knowledge base as a tool of the agent, opened at the first search. */

/* Adds attempts of this run that were measured since; earlier ones are in the
 * base when it is opened. */
static struct error *add_new(struct knowledge_tool *t,
			     const struct population *p)
{
	struct error *err = NULL;

	for (; !err && t->known < p->n; t->known++) {
		const struct attempt *a = &p->attempt[t->known];

		if (!a->measurement)
			break;
		err = knowledge_base_add(t->knowledge, p, a, a->measurement);
	}
	/* A full base is searched as it is. */
	if (!error_is(err, ERROR_TOO_BIG))
		return err;
	error_free(err);
	return NULL;
}

/* Makes it hold what the run has so far. */
static struct error *refresh(struct knowledge_tool *t,
			     const struct population *p)
{
	cleanup_knowledge_gaps struct knowledge_gaps gaps = {0};

	if (!t->knowledge) {
		TRY(knowledge_base_open(&t->knowledge, &gaps, t->session));
		t->known = p->n;
	}
	return add_new(t, p);
}

/* Of a run only that it is there: `lineage` lists its attempts. */
static void add_names(struct buf *out, const struct knowledge_list *l)
{
	const char *before = "";

	for (size_t i = 0; i < l->n; i++) {
		if (!str_eq(l->item[i].source, before))
			buf_addf(out, "%s\n", l->item[i].source);
		before = l->item[i].source;
	}
}

static struct error *open_document(struct tool_knowledge *self, struct buf *out,
				   const struct population *p, const char *name)
{
	struct knowledge_tool *t = (struct knowledge_tool *)self;
	cleanup_knowledge_list struct knowledge_list names = {0};

	TRY(refresh(t, p));
	if (*name)
		return knowledge_read(out, t->knowledge, name);
	TRY(knowledge_list(&names, t->knowledge));
	add_names(out, &names);
	return NULL;
}

static struct error *search(struct tool_knowledge *self, struct buf *out,
			    const struct population *p, const char *query,
			    size_t limit)
{
	struct knowledge_tool *t = (struct knowledge_tool *)self;
	cleanup_knowledge_hits struct knowledge_hits hits = {0};

	TRY(refresh(t, p));
	TRY(knowledge_search(&hits, t->knowledge, query, limit));
	for (size_t i = 0; i < hits.n; i++) {
		const struct knowledge_hit *h = &hits.hit[i];

		buf_addf(out, "[%s%s%s]\n%s\n\n", h->source,
			 *h->heading ? ": " : "", h->heading, h->text);
	}
	return NULL;
}

void knowledge_tool_init(struct knowledge_tool *t, struct session *s)
{
	*t = (struct knowledge_tool){.tool = {.open = open_document,
					      .search = search},
				     .session = s};
}

static void knowledge_tool_release(struct knowledge_tool *t)
{
	knowledge_free(t->knowledge);
	*t = (struct knowledge_tool){0};
}

/* ---- the operator -------------------------------------------------------- */

void choice_release(struct operator_choice *c)
{
	free(c->provider);
	free(c->base_url);
	free(c->model);
	free(c->key_command);
	free(c->effort);
	strvec_release(&c->priced);
	strvec_release(&c->prices);
	strvec_release(&c->role_keys);
	strvec_release(&c->role_values);
	free(c->instead);
	fileset_release(&c->files);
	reviewer_free(c->reviewer);
	knowledge_tool_release(&c->knowledge);
	*c = (struct operator_choice){0};
}

/* ---- what is configured -------------------------------------------------- */

/* Ignores the repository's configuration: it may come from a stranger. */
static char *setting(const struct session *s, const char *flag,
		     const char *variable, const char *key)
{
	const char *value = flag ? flag : variable ? getenv(variable) : NULL;

	if (value && *value)
		return xstrdup(value);
	return gitstore_user_config(s->git, key);
}

/* avogit.ROLE.model and the like: a key is "ROLE.model" then, as git has it in
 * lower case. */
static void gather_roles(struct operator_choice *c, struct session *s)
{
	static const char *const keys[] = {".model",	 ".effort",
					   ".tokens",	 ".money",
					   ".provider",	 ".baseurl",
					   ".keycommand"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		cleanup_strvec struct strvec roles = STRVEC_INIT;

		gitstore_user_config_list(&roles, &c->role_values, s->git,
					  "avogit.", keys[i]);
		for (size_t j = 0; j < roles.n; j++)
			strvec_pushf(&c->role_keys, "%s%s", roles.v[j],
				     keys[i]);
	}
}

static struct error *gather(struct operator_choice *c, struct session *s,
			    const struct choice_options *o,
			    const struct budget_limits *budget)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;

	c->provider =
		setting(s, o->provider, "AVOGIT_PROVIDER", "avogit.provider");
	c->model = setting(s, o->model, "AVOGIT_MODEL", "avogit.model");
	c->base_url = setting(s, NULL, "AVOGIT_BASE_URL", "avogit.baseUrl");
	c->key_command = setting(s, NULL, NULL, "avogit.keyCommand");
	c->effort = setting(s, o->effort, "AVOGIT_EFFORT", "avogit.effort");
	gitstore_user_config_list(&c->priced, &c->prices, s->git, "avogit.",
				  ".price");
	gather_roles(c, s);
	TRY(llm_files(&patterns, s->at.task));
	if (patterns.n)
		TRY(gitstore_files(&c->files, s->git, s->at.commit.hex,
				   &patterns));
	knowledge_tool_init(&c->knowledge, s);
	c->llm = (struct llm_options){
		.provider = c->provider,
		.base_url = c->base_url,
		.model = c->model,
		.key_command = c->key_command,
		.effort = c->effort,
		.priced = &c->priced,
		.prices = &c->prices,
		.role_keys = &c->role_keys,
		.role_values = &c->role_values,
		.replay = o->replay,
		.record = o->record,
		.patience = o->patience,
		.files = &c->files,
		.knowledge = &c->knowledge.tool,
		.budget = *budget,
	};
	return NULL;
}

/* ---- choosing ------------------------------------------------------------ */

/* A faulty declaration counts, so that the tuner reports it. */
static bool has_tunables(const struct session *s)
{
	cleanup_tunables struct tunables t = {0};
	cleanup_error struct error *err = tuning_read(&t, s);

	return err || t.n > 0;
}

static char *say_tuner(const struct llm_lack *lack)
{
	return xasprintf(
		"%s: the tuner varies what the sources declare as tunable\n"
		"  to use a model: %s\n"
		"  a server of your own: `git config --global avogit.baseUrl "
		"http://localhost:8000/v1` and avogit.provider openai\n",
		lack->what, lack->mend);
}

/* Do these sources declare something? What cannot be read does not. */
static bool declares(const struct session *s, struct error *read,
		     const struct fileset *sources)
{
	cleanup_tunables struct tunables t = {0};
	cleanup_error struct error *err = read;

	if (!err)
		err = tunables_read(&t, sources, s->at.task);
	return !err && t.n > 0;
}

static const char in_work_tree[] = "your work tree does:";

/* Where the user wrote declarations that the start of the run has not; NULL:
 * nowhere. */
static const char *declared_elsewhere(const struct session *s)
{
	cleanup_fileset struct fileset head = FILESET_INIT, work = FILESET_INIT;
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	struct commit_id id;
	cleanup_error struct error *unborn =
		gitstore_resolve(&id, s->git, "HEAD");

	if (unborn)
		return NULL;
	task_source_patterns(&patterns, s->at.task);
	if (!str_eq(id.hex, s->at.commit.hex) &&
	    declares(s, gitstore_files(&head, s->git, id.hex, &patterns),
		     &head))
		return "HEAD does:";
	if (gitstore_work_dir(s->git) &&
	    declares(s, gitstore_work_files(&work, s->git, id.hex, &patterns),
		     &work))
		return in_work_tree;
	return NULL;
}

static struct error *refuse_all(const struct session *s,
				const struct llm_lack *lack)
{
	const char *elsewhere = declared_elsewhere(s);

	/* There may be no run yet, and what is said holds then, too. */
	if (elsewhere == in_work_tree)
		return error_new(
			ERROR_REFUSED,
			"nothing can vary this kernel: %s (%s), and the "
			"sources at %.12s, where the run begins, declare "
			"nothing that the tuner could vary; %s `avogit score "
			"--run NAME -m 'what you tried'` takes it into a run, "
			"from which `avogit evolve --run NAME` goes on",
			lack->what, lack->mend, s->at.commit.hex, elsewhere);
	if (elsewhere)
		return error_new(
			ERROR_REFUSED,
			"nothing can vary this kernel: %s (%s), and the "
			"sources at %.12s, where the run goes on, declare "
			"nothing that the tuner could vary; %s begin "
			"another run there (`avogit evolve --run NAME`)",
			lack->what, lack->mend, s->at.commit.hex, elsewhere);
	return error_new(ERROR_REFUSED,
			 "nothing can vary this kernel: %s (%s), and the "
			 "sources declare nothing that the tuner could vary: "
			 "write '// avogit: 16 32 64' after a '#define NAME "
			 "VALUE', or '// avogit-flags: -O2 | -O3', and commit",
			 lack->what, lack->mend);
}

/* For when neither the user nor the task named an operator, or the task names a
 * model that is not configured here. */
static struct error *fall_back(const char **name, struct operator_choice *c,
			       const struct session *s)
{
	cleanup_llm_lack struct llm_lack lack = {0};

	*name = "llm";
	TRY(llm_lacks(&lack, s->at.task, &c->llm));
	if (!lack.what)
		return NULL;
	if (has_tunables(s)) {
		*name = "tuner";
		c->instead = say_tuner(&lack);
		return NULL;
	}
	return s->at.task->has_operator ? NULL : refuse_all(s, &lack);
}

/* The first given option that only a model can use. */
static const char *models_option(const struct choice_options *o)
{
	return o->model	     ? "--model"
	       : o->provider ? "--provider"
	       : o->effort   ? "--effort"
	       : o->record   ? "--record"
			     : NULL;
}

const char *choice_named(const struct task *t, const struct choice_options *o)
{
	if (o->operator_name)
		return o->operator_name;
	if (o->replay)
		return "replay";
	if (models_option(o))
		return "llm";
	return t->has_operator && !str_eq(t->operator_name, "llm")
		       ? t->operator_name
		       : NULL;
}

/* Only an agent that the task names is reviewed by the user's model: a tuner
 * takes no direction, and a model reviews its own run. */
static bool is_reviewed(const char *name, const struct task *t)
{
	return str_eq(name, "command") && t->supervisor.stall;
}

/* `wanted`: the command line names the model, which then must be usable. */
static struct error *choose_advisor(struct operator_choice *c,
				    const struct task *t,
				    const struct variation_operator *o,
				    bool wanted)
{
	cleanup_llm_lack struct llm_lack lack = {0};

	c->advisor = o->advisor;
	if (!is_reviewed(o->name, t))
		return NULL;
	if (!wanted)
		TRY(llm_lacks(&lack, t, &c->llm));
	if (lack.what)
		return NULL;
	TRY(reviewer_new(&c->reviewer, t, &c->llm));
	c->advisor = reviewer_advisor(c->reviewer);
	return NULL;
}

struct error *choice_operator(struct variation_operator **out,
			      struct operator_choice *c, struct session *s,
			      const struct choice_options *o,
			      const struct budget_limits *budget)
{
	const struct task *t = s->at.task;
	const char *name = choice_named(t, o);

	if (models_option(o) && !str_eq(name, "llm") &&
	    !str_eq(name, "replay") && !is_reviewed(name, t))
		return error_new(ERROR_USAGE,
				 "%s is for a model, which the operator '%s' "
				 "does not ask: leave it out, or say "
				 "--operator llm",
				 models_option(o), name);
	TRY(gather(c, s, o, budget));
	if (!name)
		TRY(fall_back(&name, c, s));
	TRY(operator_new(out, t, name, &c->llm));
	return choose_advisor(c, t, *out, models_option(o) != NULL);
}
