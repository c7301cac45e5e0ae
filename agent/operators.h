/* The variation operators by name, and that of a person. */
#ifndef AGENT_OPERATORS_H
#define AGENT_OPERATORS_H

#include "agent/llm/llm.h"

/* `name` NULL: what the task asks for. Borrows task; operator->free disposes.
 * `o` is for those with a model; its knowledge base is for agents, too. A name
 * that is none is an error that says what there is. */
struct error *operator_new(struct variation_operator **out,
			   const struct task *task, const char *name,
			   const struct llm_options *o) MUST_CHECK;
void operator_free(struct variation_operator *o);

/* The operator of a person: one candidate, which is there already. What an
 * agent does by its tools a person does by an editor; the run keeps both alike,
 * failures too. Scores `sources` once, then has nothing left. `message` is as a
 * commit's: what was tried, an empty line, why it should help. Borrows the
 * sources and the message; operator->free disposes. */
struct error *hand_new(struct variation_operator **out,
		       const struct fileset *sources,
		       const char *message) MUST_CHECK;

DEFINE_CLEANUP(operator, struct variation_operator, operator_free)
#define cleanup_operator CLEANUP(operator)

#endif
