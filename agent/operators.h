/* The variation operators by name. */
#ifndef AGENT_OPERATORS_H
#define AGENT_OPERATORS_H

#include "core/variation.h"

/* `name` NULL: what the task asks for. Borrows task; operator->free disposes.
 * A name that is none, or one this build has no operator for, is an error
 * that says what there is. */
struct error *operator_new(struct variation_operator **out,
			   const struct task *task,
			   const char *name) MUST_CHECK;
void operator_free(struct variation_operator *o);

DEFINE_CLEANUP(operator, struct variation_operator, operator_free)
#define cleanup_operator CLEANUP(operator)

#endif
