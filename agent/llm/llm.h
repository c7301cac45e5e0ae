/*
 * The operator `llm`: a model with the tools of agent/tools/tool.h, asked
 * through the configured provider. Each step is a new conversation. It begins
 * with the task, the state of the run, what was tried and the model's notes. It
 * ends when the model stops, when the model repeats itself, or at a limit of
 * the step or the run. The operator `replay` does the same with a recording in
 * place of the model.
 *
 * For each key, the user's setting (flag, environment, git's own configuration)
 * comes before the task's. The task's key_env and key_command are used only
 * with the task's own address and protocol.
 */
#ifndef AGENT_LLM_LLM_H
#define AGENT_LLM_LLM_H

#include "agent/tools/tool.h"
#include "core/run/spend.h"

/* llm_new borrows all of this until it returns; the operator borrows
 * `knowledge` for its whole life. Any pointer may be NULL. */
struct llm_options {
	/* Settings of the user. */
	const char *provider; /* a name of a protocol: docs/agent.md */
	const char *base_url, *model, *key_command;
	const char *effort;
	/* Prices of the user, before the task's: models, and for each "IN OUT
	 * [CACHE_READ [CACHE_WRITE]]" in dollars a million tokens. */
	const struct strvec *priced, *prices;
	/* Roles of the user, over the task's: "planner.model", and its value. */
	const struct strvec *role_keys, *role_values;
	const char *replay; /* recording to play */
	const char *record; /* file to record to */
	/* Most seconds to wait for a server that is down; 0: no limit but the
	 * run's. */
	double patience;
	bool plays; /* the operator is replay: a recording, never a model */
	/* The task's own files, as llm_files() names them. */
	const struct fileset *files;
	struct tool_knowledge *knowledge;
	struct budget_limits budget;
};

/* Adds patterns, from the top of the repository, of the files that the task's
 * operator settings name: prompts and a recording. */
struct error *llm_files(struct strvec *out, const struct task *task) MUST_CHECK;
/* What is missing, in words. Both are NULL if the operator can work, with a key
 * or with an address that the user configured. */
struct llm_lack {
	char *what; /* "no model is configured", "... but no key" */
	char *mend; /* "set OPENAI_API_KEY, or ..." */
};
void llm_lack_release(struct llm_lack *l);
DEFINE_RELEASE(llm_lack, struct llm_lack, llm_lack_release)
#define cleanup_llm_lack CLEANUP(llm_lack)

/* Finds what is missing; runs the key command if there is one. */
struct error *llm_lacks(struct llm_lack *out, const struct task *task,
			const struct llm_options *o) MUST_CHECK;
/* Makes the operator. ERROR_USAGE or ERROR_TASK says in a sentence why it
 * cannot work. Its model is also the supervisor's advisor
 * (operator->advisor). */
struct error *llm_new(struct variation_operator **out, const struct task *task,
		      const struct llm_options *o) MUST_CHECK;

/* Makes the model the advisor of a run whose operator is another one. Errors as
 * for llm_new; reviewer_free disposes. */
struct reviewer;
struct error *reviewer_new(struct reviewer **out, const struct task *task,
			   const struct llm_options *o) MUST_CHECK;
struct advisor *reviewer_advisor(struct reviewer *r);
void reviewer_free(struct reviewer *r);
DEFINE_CLEANUP(reviewer, struct reviewer, reviewer_free)
#define cleanup_reviewer CLEANUP(reviewer)

#endif
