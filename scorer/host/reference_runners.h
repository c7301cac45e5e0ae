/*
 * A reference that is not C: a runner (docs/runner-protocol.md) in the sandbox
 * computes what is right, a second one the plain version, and the judge takes
 * their outputs from memory that it shares with them. They are trusted as a
 * reference in the judge's own process is, and see what that sees: inputs, never
 * a candidate's outputs.
 */
#ifndef SCORER_HOST_REFERENCE_RUNNERS_H
#define SCORER_HOST_REFERENCE_RUNNERS_H

#include "scorer/host/reference_memory.h"
#include "scorer/host/runner_process.h"

/* Seconds that a reference may compute until it is taken to hang. */
#define REFERENCE_SECONDS 600.0

/* What a person who sees nothing else is told of a wait: a function that hangs at one
 * size takes all the time that it is given. */
struct awaited {
	/* Gets a sentence where it takes long; may be NULL. */
	void (*say)(const char *sentence);
	const char *entry;
	const char *case_name;	 /* NULL: not known */
	const struct task *task; /* for a likely cause; NULL: none is said */
};
/* Waits for the answer of a reference, REFERENCE_SECONDS at most. */
enum runner_state reference_wait(struct runner *r, union runner_reply *reply,
				 uint32_t kind, const struct awaited *on);

struct reference_runners;

/* spec->build is the reference's. Waits until all have started. `alone`: without the
 * plain version. */
struct error *reference_runners_start(struct reference_runners **out,
				      const struct task *t,
				      const struct runner_spec *spec,
				      bool alone) MUST_CHECK;
/* Makes memory for launches like `c` and hands it to the runners; *out (borrowed)
 * is what the judge gets. */
struct error *reference_runners_share(struct reference_memory **out,
				      struct reference_runners *r,
				      const struct entry_call *c) MUST_CHECK;
/* Has one called on that memory: 0 the reference, 1 the plain version. `case_name`: what
 * for, or NULL. */
struct error *reference_runners_call(struct reference_runners *r, uint32_t side,
				     const char *case_name) MUST_CHECK;
void reference_runners_free(struct reference_runners *r);

DEFINE_CLEANUP(reference_runners, struct reference_runners,
	       reference_runners_free)
#define cleanup_reference_runners CLEANUP(reference_runners)

#endif
