#include "cmd/choice.h"

#include "cmd/tuning.h"
#include "core/supervisor.h"

void choice_release(struct choice *c)
{
	free(c->provider);
	free(c->base_url);
	free(c->model);
	free(c->key_command);
	fileset_release(&c->files);
	reviewer_free(c->reviewer);
	knowledge_tool_release(&c->knowledge);
	*c = (struct choice){0};
}

/* ---- what is configured -------------------------------------------------- */

/* Not of the repository's own configuration, which may have come with it. */
static char *setting(const struct session *s, const char *flag,
		     const char *variable, const char *key)
{
	const char *value = flag ? flag : variable ? getenv(variable) : NULL;

	if (value && *value)
		return xstrdup(value);
	return gitstore_user_config(s->git, key);
}

static struct error *gather(struct choice *c, struct session *s,
			    const struct choice_options *o,
			    const struct budget_limits *budget)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;

	c->provider =
		setting(s, o->provider, "AVOGIT_PROVIDER", "avogit.provider");
	c->model = setting(s, o->model, "AVOGIT_MODEL", "avogit.model");
	c->base_url = setting(s, NULL, "AVOGIT_BASE_URL", "avogit.baseUrl");
	c->key_command = setting(s, NULL, NULL, "avogit.keyCommand");
	TRY(llm_files(&patterns, s->at.task));
	if (patterns.n)
		TRY(gitstore_files(&c->files, s->git, s->at.commit, &patterns));
	knowledge_tool_init(&c->knowledge, s);
	c->llm = (struct llm_options){
		.provider = c->provider,
		.base_url = c->base_url,
		.model = c->model,
		.key_command = c->key_command,
		.replay = o->replay,
		.record = o->record,
		.files = &c->files,
		.knowledge = &c->knowledge.tool,
		.budget = *budget,
	};
	return NULL;
}

/* ---- choosing ------------------------------------------------------------ */

/* A declaration that is off is the tuner's to tell. */
static bool has_tunables(const struct session *s)
{
	cleanup_tunables struct tunables t = {0};
	cleanup_error struct error *err = tuning_read(&t, s);

	return err || t.n > 0;
}

static void say_tuner(FILE *say)
{
	fputs("no model is configured: the tuner varies what the sources "
	      "declare as tunable\n"
	      "  to use one: `git config --global avogit.model MODEL`, its key "
	      "in ANTHROPIC_API_KEY or OPENAI_API_KEY\n"
	      "  a server of your own: `git config --global avogit.baseUrl "
	      "http://localhost:8000/v1` and avogit.provider openai\n",
	      say);
}

/* Nobody named an operator, or the task names the model that nobody here has
 * configured. */
static struct error *fall_back(const char **name, struct choice *c,
			       const struct session *s, FILE *say)
{
	bool configured = false;

	*name = "llm";
	TRY(llm_configured(&configured, s->at.task, &c->llm));
	if (configured)
		return NULL;
	if (has_tunables(s)) {
		*name = "tuner";
		say_tuner(say);
		return NULL;
	}
	if (s->at.task->has_operator)
		return NULL;
	return error_new(ERROR_REFUSED,
			 "nothing can vary this kernel: no model is configured "
			 "(`git config --global avogit.model MODEL`, its key "
			 "in ANTHROPIC_API_KEY or OPENAI_API_KEY), and the "
			 "sources declare nothing that the tuner could vary: "
			 "write '// avogit: 16 32 64' behind a '#define NAME "
			 "VALUE', or '// avogit-flags: -O2 | -O3', and commit");
}

/* A tuner takes no direction; an agent of the task's does, and where its user
 * has a model configured that is asked for one. */
static struct error *choose_advisor(struct choice *c, const struct task *t,
				    const struct variation_operator *o,
				    FILE *say)
{
	bool configured = false;

	c->advisor = o->advisor;
	if (!str_eq(o->name, "command") || !t->supervisor.stall)
		return NULL;
	TRY(llm_configured(&configured, t, &c->llm));
	if (!configured)
		return NULL;
	TRY(reviewer_new(&c->reviewer, t, &c->llm));
	c->advisor = reviewer_advisor(c->reviewer);
	fprintf(say, "a run that stalls is reviewed by %s\n", c->advisor->name);
	return NULL;
}

struct error *choice_operator(struct variation_operator **out, struct choice *c,
			      struct session *s, const struct choice_options *o,
			      const struct budget_limits *budget, FILE *say)
{
	const struct task *t = s->at.task;
	const char *name = o->operator_name;

	TRY(gather(c, s, o, budget));
	if (!name && o->replay)
		name = "replay";
	else if (!name && t->has_operator && !str_eq(t->operator_name, "llm"))
		name = t->operator_name;
	else if (!name)
		TRY(fall_back(&name, c, s, say));
	TRY(operator_new(out, t, name, &c->llm));
	return choose_advisor(c, t, *out, say);
}
