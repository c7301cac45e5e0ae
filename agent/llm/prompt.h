/*
 * The texts that a model is given. They are files (agent/llm/prompts/) embedded
 * in avogit; a task may replace them with its own from the base commit. In a
 * text, {{word}} stands for what the step inserts there.
 *
 *     system.md    the model's role and how it is judged
 *     step.md      the first message of a step
 *     nudge.md     sent once if the model ends without a score
 *     cut.md       the reply was cut at the length limit
 *     last.md      three replies are left
 *     stuck.md     the same call gave the same result again
 *     reviewer.md  the role in a review of a run without progress
 *     review.md    the first message of a review
 *     unanswered.md  the reply did not answer the review
 *
 * The roles of an operator have a text each, and a first message:
 * planner.md plan.md, debugger.md debug.md, searcher.md sweep.md,
 * diff-reviewer.md diff-review.md.
 */
#ifndef AGENT_LLM_PROMPT_H
#define AGENT_LLM_PROMPT_H

#include "agent/tools/tool.h"
#include "core/run/supervisor.h"

#define PROMPT_MAX ((size_t)64 << 10)

/* Checks a task's own texts, named as above ("step.md"). Refuses a file that is
 * too long, is not text, has another name or has an unknown {{word}}. */
struct error *prompts_check(const struct fileset *own) MUST_CHECK;
/* One of the texts above. Borrowed. */
const char *prompt_text(const struct fileset *own, const char *name);
/* Adds the first message of a talk in a step, the text `name`; it may take
 * `turns` replies. `evidence` is what the talk is about; may be NULL. */
void prompt_first(struct buf *out, const struct fileset *own, const char *name,
		  const struct toolbox *box, int64_t turns,
		  const char *evidence);
/* Adds the first message of a review. */
void prompt_review(struct buf *out, const struct fileset *own,
		   const struct question *q);
/* Writes avogit's own texts into the folder, which is created. */
struct error *prompts_write(const char *dir) MUST_CHECK;

#endif
