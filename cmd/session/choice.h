/* Chooses the operator that varies the kernel: the one on the command line,
 * else the task's, else a model if one is configured, else the tuner. Settings
 * come from flags, then AVOGIT_MODEL, AVOGIT_PROVIDER, AVOGIT_EFFORT and
 * AVOGIT_BASE_URL of the environment, then the user's git configuration, then
 * the task. */
#ifndef CMD_SESSION_CHOICE_H
#define CMD_SESSION_CHOICE_H

#include "agent/operators.h"
#include "agent/tools/tool.h"
#include "cmd/session/knowledge_base.h"

/* From the command line; each may be NULL. */
struct choice_options {
	const char *operator_name, *provider, *model, *effort;
	const char *replay, *record;
	double patience; /* seconds; 0: until the budget ends */
};

/* The knowledge base as a tool of the operator, opened at the first search. */
struct knowledge_tool {
	struct tool_knowledge tool; /* first: cast back */
	struct session *session;
	struct knowledge *knowledge;
	size_t known; /* attempts of the run that were added */
};
/* Borrows the session. */
void knowledge_tool_init(struct knowledge_tool *t, struct session *s);

/* What the operator borrows; release it after the operator. */
struct operator_choice {
	struct llm_options llm;
	char *provider, *base_url, *model, *key_command, *effort;
	struct strvec priced, prices; /* of the user's configuration */
	struct strvec role_keys, role_values;
	struct fileset files;
	struct knowledge_tool knowledge;
	/* The model that advises where to continue: the operator's or the
	 * user's; NULL: the supervisor's rule decides. */
	struct advisor *advisor;
	struct reviewer *reviewer; /* not NULL if it is the user's */
	/* If the tuner replaces a model: lines for people with the reason and
	 * how to configure a model. Else NULL. */
	char *instead;
};
void choice_release(struct operator_choice *c);

/* The operator named on the command line or in the task; --model,
 * --provider, --effort or --record means llm. NULL: none is named. Borrowed. */
const char *choice_named(const struct task *t, const struct choice_options *o);
/* Makes the operator; the task's items that need trust must be trusted already.
 * If no model can be asked and the command line names none, it is the tuner. */
struct error *choice_operator(struct variation_operator **out,
			      struct operator_choice *c, struct session *s,
			      const struct choice_options *o,
			      const struct budget_limits *budget) MUST_CHECK;

#endif
