/*
 * What became of an attempt, in the words that every reader sees: log, the
 * lines and the summary of evolve, JSON, the index of knowledge, prompts and
 * the tools of a model. docs/history.md has the table for users.
 *
 * It follows from the population, so that it is never stored. A failure is told
 * by its verdict. What passed and was not kept is told by the comparison that
 * decided (measurement_decisive).
 */
#ifndef CORE_RUN_OUTCOME_H
#define CORE_RUN_OUTCOME_H

#include "core/run/population.h"

/* X(enumerator, name, one line for people and models) */
#define ATTEMPT_OUTCOMES(X)                                                \
	X(OUTCOME_IN_FLIGHT, "in flight", "not measured yet")              \
	X(OUTCOME_FAILED, "failed", "its verdict says how")                \
	X(OUTCOME_START, "start", "the kernel that the run began with")    \
	X(OUTCOME_CHAMPION, "champion", "the best of the run so far")      \
	X(OUTCOME_KEPT, "kept", "later attempts may go on from it")        \
	X(OUTCOME_SAME_CODE, "same code",                                  \
	  "its machine code was measured before, under other sources")     \
	X(OUTCOME_NOT_BETTER, "not better",                                \
	  "not shown to be faster than its rival")                         \
	X(OUTCOME_UNCONFIRMED, "unconfirmed",                              \
	  "faster at first, but not again in fresh processes")             \
	X(OUTCOME_UNSTEADY, "unsteady",                                    \
	  "faster, but the machine was not steady")                        \
	X(OUTCOME_UNSANITIZED, "unsanitized", "faster, but not sanitized") \
	X(OUTCOME_NOT_CROWNED, "not crowned",                              \
	  "faster, and again in fresh processes, but ")

enum attempt_outcome {
#define X(id, name, line) id,
	ATTEMPT_OUTCOMES(X)
#undef X
		OUTCOME_COUNT
};

/* a: an attempt of p. */
enum attempt_outcome attempt_outcome(const struct population *p,
				     const struct attempt *a);
/* "kept"; of OUTCOME_FAILED "failed". A constant. */
const char *outcome_name(enum attempt_outcome o);
/* Was it told faster, and not kept all the same? */
bool outcome_is_doubt(enum attempt_outcome o);
/* The name; of a failure that of its verdict: at most 13 characters. A
 * constant. */
const char *attempt_outcome_name(const struct population *p,
				 const struct attempt *a);
/* Adds the line that explains the name; where the measurement says what was not
 * steady, or why nothing was sanitized, that too: one line, as it was
 * recorded. Of what was not crowned, whether a case is slower. */
void attempt_outcome_explain(struct buf *out, const struct population *p,
			     const struct attempt *a);

#endif
