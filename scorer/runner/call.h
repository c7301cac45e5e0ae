/* Calls a C function with the arguments of a task, through libffi. */
#ifndef RUNNER_CALL_H
#define RUNNER_CALL_H

#include "scorer/wire/protocol.h"
#include "scorer/runner/load.h"

#define CALL_EXTRA 3 /* int64_t arguments after the task's own, at most */

struct invocation;

/* `n_extra` int64_t follow the task's arguments. `reference`: a floating type
 * is returned as double. NULL if these cannot be passed; *why says why.
 * invocation_free disposes. */
struct invocation *invocation_new(const char **why, const struct entry_call *c,
				  unsigned n_extra, bool reference) MUST_CHECK;
/* Every tensor must be set before the call, also one that a member of a struct
 * points to, or that takes what the function returns. */
void invocation_set_tensor(struct invocation *v, size_t i, void *data);
void invocation_set_extra(struct invocation *v, unsigned k, int64_t value);
void invocation_run(struct invocation *v, function f);
void invocation_free(struct invocation *v);

DEFINE_CLEANUP(invocation, struct invocation, invocation_free)
#define cleanup_invocation CLEANUP(invocation)

/* Calls a generator of the task: (T *data, uint64_t seed, int64_t symbol ...).
 * Returns NULL, or a sentence why it cannot be called. */
const char *call_generator(function f, void *data, uint64_t seed,
			   const int64_t *symbol, uint32_t n) MUST_CHECK;

#endif
