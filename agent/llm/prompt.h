/*
 * What a model is told. The texts are files (agent/llm/prompts/), carried
 * inside avogit; a task may have its own in their place, from the base commit.
 * In a text {{word}} stands for what this step puts there.
 *
 *     system.md    who the model is and how it is judged: the role
 *     step.md      the first message of a step
 *     nudge.md     it ended and scored nothing; said once
 *     cut.md       its reply was cut at the length limit
 *     last.md      three replies are left
 *     stuck.md     the same call gave the same result again
 *     reviewer.md  the role of who reviews a run that does not improve
 *     review.md    the first message of a review
 *     unanswered.md  the reply to that was no answer
 */
#ifndef AGENT_LLM_PROMPT_H
#define AGENT_LLM_PROMPT_H

#include "agent/tools/tool.h"
#include "core/run/supervisor.h"

#define PROMPT_MAX ((size_t)64 << 10)

/* `own` are a task's files by their names ("step.md"); refuses a file that is
 * too long, is not text, has another name, or has a {{word}} that is not
 * known.
 */
struct error *prompts_check(const struct fileset *own) MUST_CHECK;
/* One of the texts above. Borrowed. */
const char *prompt_text(const struct fileset *own, const char *name);
/* Adds the first message of a step, which may take `turns` replies. */
void prompt_first(struct buf *out, const struct fileset *own,
		  const struct toolbox *box, int64_t turns);
/* Adds the first message of a review. */
void prompt_review(struct buf *out, const struct fileset *own,
		   const struct question *q);
/* Writes avogit's own texts into the folder, which is made. */
struct error *prompts_write(const char *dir) MUST_CHECK;

#endif
