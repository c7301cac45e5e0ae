/* Finds variation operators by name, and makes the operator of a person. */
#ifndef AGENT_OPERATORS_H
#define AGENT_OPERATORS_H

#include "agent/llm/llm.h"

/* `name` NULL: the task's operator. Borrows the task; operator->free disposes.
 * `o` has settings of operators with a model; its knowledge base also serves
 * other agents. The error for an unknown name lists the known ones. */
struct error *operator_new(struct variation_operator **out,
			   const struct task *task, const char *name,
			   const struct llm_options *o) MUST_CHECK;
void operator_free(struct variation_operator *o);

/* The operator of a person: it scores `sources` once and then is exhausted. A
 * person's attempt is recorded like an agent's, also when it fails. `message`
 * has the form of a commit message: what was tried, an empty line, why it
 * should help. Borrows the sources; operator->free disposes. */
struct error *hand_new(struct variation_operator **out,
		       const struct fileset *sources,
		       const char *message) MUST_CHECK;

DEFINE_CLEANUP(operator, struct variation_operator, operator_free)
#define cleanup_operator CLEANUP(operator)

#endif
