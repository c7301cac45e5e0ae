/* The cards of a run: `avogit evolve --gpus LIST`. */
#ifndef CMD_SESSION_CARDS_H
#define CMD_SESSION_CARDS_H

#include "core/base/strvec.h"
#include "core/task/task.h"

/* Adds the words of a list such as "0,1" (NULL: none). ERROR_USAGE if one is
 * empty, or the task runs on no GPU. */
struct error *cards_parse(struct strvec *out, const char *list,
			  const struct task *t) MUST_CHECK;
/* Has a run of so many agents work for these cards? ERROR_USAGE if not.
 * `in_order`: the agents take turns. */
struct error *cards_check(const struct strvec *cards, size_t agents,
			  bool in_order) MUST_CHECK;

#endif
