/* Which operator varies the kernel: the one on the command line, else the
 * task's, else a model where one is configured, else the tuner. What is
 * configured comes from flags, then AVOGIT_MODEL, AVOGIT_PROVIDER and
 * AVOGIT_BASE_URL of the environment, then the user's git configuration, then
 * the task. */
#ifndef CMD_SESSION_CHOICE_H
#define CMD_SESSION_CHOICE_H

#include "agent/operators.h"
#include "agent/tools/tool.h"
#include "cmd/session/knowledge_base.h"

/* Of the command line; each may be NULL. */
struct choice_options {
	const char *operator_name, *provider, *model, *replay, *record;
};

/* The knowledge base as a tool of the operator: opened when it is first asked. */
struct knowledge_tool {
	struct tool_knowledge tool; /* first: cast back */
	struct session *session;
	struct knowledge *knowledge;
	size_t known; /* attempts of the run that are in it */
};
/* Borrows the session. */
void knowledge_tool_init(struct knowledge_tool *t, struct session *s);

/* What an operator borrows: to be released after it. */
struct operator_choice {
	struct llm_options llm;
	char *provider, *base_url, *model, *key_command;
	struct fileset files;
	struct knowledge_tool knowledge;
	/* The model that is asked where to go on: the operator's, or the
	 * user's; NULL: the rule decides. */
	struct advisor *advisor;
	struct reviewer *reviewer; /* where that is none of the operator's */
	/* The tuner stands in for a model: why, and how to have one; lines for
	 * people. Else NULL. */
	char *instead;
};
void choice_release(struct operator_choice *c);

/* The operator that is named on the command line or in the task: with --model,
 * --provider or --record it is llm. NULL: whatever is configured. Borrowed. */
const char *choice_named(const struct task *t, const struct choice_options *o);
/* The task's values that need trust are trusted already. Where no model can be
 * asked, and none was named on the command line, it is the tuner. */
struct error *choice_operator(struct variation_operator **out,
			      struct operator_choice *c, struct session *s,
			      const struct choice_options *o,
			      const struct budget_limits *budget) MUST_CHECK;

#endif
