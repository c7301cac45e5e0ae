/*
 * The operator `llm`: a model with the tools of agent/tools/tool.h, over the
 * provider that is configured. A step is a conversation of its own: it begins
 * with the task, where the run stands, what was tried and the model's notes,
 * and ends when the model does, when it goes in circles, or when the step or
 * the run has had its share. `replay` is the same with a recording in the
 * model's place.
 *
 * What is configured: the user's word (flag, environment, git's own
 * configuration) before the task's, key by key. The task's key_env and
 * key_command go with the task's own address and protocol and with no other.
 */
#ifndef AGENT_LLM_LLM_H
#define AGENT_LLM_LLM_H

#include "agent/tools/tool.h"
#include "core/run/spend.h"

/* Borrowed by llm_new, but for `knowledge`, which the operator borrows as long
 * as it lives. Any may be NULL. */
struct llm_options {
	/* The user's. */
	const char *provider; /* "anthropic" or "openai" */
	const char *base_url, *model, *key_command;
	const char *replay; /* a recording to play */
	const char *record; /* where to record to */
	bool plays; /* the operator replay: a recording, never a model */
	/* The task's own files, as llm_files() names them. */
	const struct fileset *files;
	struct tool_knowledge *knowledge;
	struct budget_limits budget;
};

/* Patterns, from the top of the repository, of what the task's operator
 * settings name: prompts, a recording. */
struct error *llm_files(struct strvec *out, const struct task *task) MUST_CHECK;
/* In words; both NULL: it could work, with a key or an address of one's own. */
struct llm_lack {
	char *what; /* "no model is configured", "... but no key" */
	char *mend; /* "set OPENAI_API_KEY, or ..." */
};
void llm_lack_release(struct llm_lack *l);
DEFINE_RELEASE(llm_lack, struct llm_lack, llm_lack_release)
#define cleanup_llm_lack CLEANUP(llm_lack)

/* Asks the key command where there is one. */
struct error *llm_lacks(struct llm_lack *out, const struct task *task,
			const struct llm_options *o) MUST_CHECK;
/* ERROR_USAGE or ERROR_TASK in a sentence where it cannot. Its model is also
 * the supervisor's advisor (operator->advisor). */
struct error *llm_new(struct variation_operator **out, const struct task *task,
		      const struct llm_options *o) MUST_CHECK;

/* The model as advisor of a run that another operator varies. The same errors;
 * reviewer_free disposes. */
struct reviewer;
struct error *reviewer_new(struct reviewer **out, const struct task *task,
			   const struct llm_options *o) MUST_CHECK;
struct advisor *reviewer_advisor(struct reviewer *r);
void reviewer_free(struct reviewer *r);
DEFINE_CLEANUP(reviewer, struct reviewer, reviewer_free)
#define cleanup_reviewer CLEANUP(reviewer)

#endif
