/* Who varies the kernel: what the command line says, else the task, else a
 * model where one is configured, else the tuner. What is configured comes from
 * flags, then AVOGIT_MODEL, AVOGIT_PROVIDER and AVOGIT_BASE_URL of the
 * environment, then the user's git configuration, then the task. */
#ifndef CMD_CHOICE_H
#define CMD_CHOICE_H

#include "agent/operators.h"
#include "cmd/knowledge_tool.h"

/* Of the command line; each may be NULL. */
struct choice_options {
	const char *operator_name, *provider, *model, *replay, *record;
};

/* What an operator borrows: to be released after it. */
struct choice {
	struct llm_options llm;
	char *provider, *base_url, *model, *key_command;
	struct fileset files;
	struct knowledge_tool knowledge;
	/* Who is asked where to go on: the operator's model, or the user's; NULL:
	 * the rule decides. */
	struct advisor *advisor;
	struct reviewer *reviewer; /* where that is none of the operator's */
};
void choice_release(struct choice *c);

/* The task's values that need trust are trusted already. Says on `say` what is
 * done in the place of a model that nobody configured. */
struct error *choice_operator(struct variation_operator **out, struct choice *c,
			      struct session *s, const struct choice_options *o,
			      const struct budget_limits *budget,
			      FILE *say) MUST_CHECK;

#endif
