/*
 * The scoring function f of AVO, as the loop sees it: candidates in,
 * measurements out. scorer/ implements it; tests use a plain stand-in.
 */
#ifndef CORE_RUN_EVALUATOR_H
#define CORE_RUN_EVALUATOR_H

#include "core/base/buf.h"
#include "core/run/candidate.h"
#include "core/score/measurement.h"

struct rival_request {
	enum rival rival;
	const struct candidate *candidate;
};

/* A rival that failed while a candidate was held against it. */
struct rival_failure {
	bool failed;
	size_t rival; /* of the request's */
	enum verdict verdict;
	char *why;	    /* owned */
	double gpu_seconds; /* that were spent on it */
};

static inline void rival_failure_release(struct rival_failure *f)
{
	free(f->why);
	*f = (struct rival_failure){.failed = false};
}
DEFINE_RELEASE(rival_failure, struct rival_failure, rival_failure_release)
#define cleanup_rival_failure CLEANUP(rival_failure)

struct score_request {
	const struct candidate *candidate;
	/* Measured in the same blocks; may be empty. */
	const struct rival_request *rivals;
	size_t n_rivals;
	/* Where one of them fails, this says which, and nothing was learnt of
	 * the candidate: the measurement is NULL. Without it (NULL) that is an
	 * error, as the failure of a baseline is. */
	struct rival_failure *rival_failure;
	/* Without rivals: as many launches as a comparison has, in two
	 * processes, since the candidate failed in one. */
	bool thorough;
	bool baselines; /* compare with the task's baselines too */
	/* Only a win over rivals[0] is of interest: measuring may stop as soon
	 * as one is ruled out. */
	bool winners_only;
	/* CUDA: the candidate measured before whose machine code and launches
	 * were these, NULL if there is none; it is not timed again, and the
	 * measurement says `same_code=`. May be NULL. */
	const struct measurement *(*find_code)(void *arg, const char **id,
					       const char *code);
	void *find_code_arg;
	/* Where the answer is yes, ask again in fresh processes with a fresh
	 * seed: `confirmed` in the comparison with rivals[0]. */
	bool confirm;
	/* What passes is played under these sanitizers too (a set, see task.h),
	 * and fails where they find something; with `winners_only` only one
	 * whose win was confirmed. The measurement says `sanitized`, or why not:
	 * `unsanitized`. */
	unsigned sanitizers;
};

struct evaluator {
	/* A verdict of any kind is a measurement; an error means that nothing
	 * was learnt. measurement_free disposes of *out. */
	struct error *(*score)(struct evaluator *self, struct measurement **out,
			       const struct score_request *request);
	/* Does it build? *log is the compiler's bounded answer, free() it;
	 * *ok says whether. (optional) */
	struct error *(*build)(struct evaluator *self, bool *ok, char **log,
			       const struct candidate *candidate);
	/* Begins to build it beside other work, for a score that will be asked
	 * for (`is_sure`), or may be; false where there is no room just now.
	 * (optional: builds do not go on beside a score) */
	bool (*build_ahead)(struct evaluator *self,
			    const struct candidate *candidate, bool is_sure);
	/* How many candidates are to be chosen ahead of the one that is scored
	 * next, so that each is built when it is asked for: as far as known,
	 * at least 1. (with build_ahead) */
	size_t (*choose_ahead)(struct evaluator *self);
	/* What would identify a measurement of this candidate, before it is
	 * made. */
	void (*identify)(struct evaluator *self, struct identity *out,
			 const struct candidate *candidate);
	/* Of the machine, for people. Borrowed. */
	const char *(*machine_name)(struct evaluator *self);
	/* Where the time of one case goes (NULL: the first): adds to *text,
	 * for a person or an agent, a table and the likeliest bottlenecks, or
	 * why this candidate cannot be profiled. (optional) */
	struct error *(*profile)(struct evaluator *self, struct buf *text,
				 const struct candidate *candidate,
				 const char *case_name);
};

#endif
