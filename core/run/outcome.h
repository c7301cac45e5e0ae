/*
 * The outcome of an attempt, in the words that every reader sees: log, the
 * lines and the summary of evolve, JSON, the index of knowledge, prompts and
 * the tools of a model. docs/history.md has the table for users.
 *
 * An outcome follows from the population and is never stored. The outcome of a
 * failure follows from its verdict. The outcome of an attempt that passed and
 * was not kept follows from the comparison that decided (measurement_decisive):
 * where it was not found faster, the outcome is the word that decision_name has for
 * the comparison.
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
	X(OUTCOME_SLOWER, "slower", "slower than its rival")               \
	X(OUTCOME_SAME, "same", "within 5 % of its rival's speed")         \
	X(OUTCOME_UNDECIDED, "undecided",                                  \
	  "whether it is faster than its rival is open")                   \
	X(OUTCOME_NOT_FASTER, "not faster",                                \
	  "slower, but the machine was not steady")                        \
	X(OUTCOME_NOT_COMPARED, "not compared",                            \
	  "measured, but beside no rival of its run")                      \
	X(OUTCOME_UNCONFIRMED, "unconfirmed",                              \
	  "faster at first, but not again in fresh processes")             \
	X(OUTCOME_UNSTEADY, "unsteady",                                    \
	  "faster, but the machine was not steady")                        \
	X(OUTCOME_UNSANITIZED, "unsanitized", "faster, but not sanitized") \
	X(OUTCOME_NOT_CROWNED, "not crowned",                              \
	  "faster, and again in fresh processes, but not champion")

enum attempt_outcome {
#define X(id, name, line) id,
	ATTEMPT_OUTCOMES(X)
#undef X
		OUTCOME_COUNT
};

/* a: an attempt of p. */
enum attempt_outcome attempt_outcome(const struct population *p,
				     const struct attempt *a);
/* For example "kept"; "failed" for OUTCOME_FAILED. A constant. */
const char *outcome_name(enum attempt_outcome o);
/* Has a line of the attempt to say more than the name: was it found to be
 * faster and not kept, or is it a loss of which the machine may be the cause? */
bool outcome_has_reason(enum attempt_outcome o);
/* The name of the outcome; for a failure, the name of the verdict: at most 13
 * characters. A constant. */
const char *attempt_outcome_name(const struct population *p,
				 const struct attempt *a);
/* Adds the line that explains the name. If the measurement says what was not
 * steady, or why nothing was sanitized, adds that too, as recorded, on one
 * line. For an attempt that was not crowned, says whether a case is slower. Of
 * sources that the run had measured before it says of which attempt they are. */
void attempt_outcome_explain(struct buf *out, const struct population *p,
			     const struct attempt *a);
/* Adds why an attempt that was kept, or found faster, is not the champion: "was
 * champion before", or the line of its doubt; of one that was not found slower
 * because the machine was not steady, that. Adds nothing for all others. */
void attempt_reason_add(struct buf *out, const struct population *p,
			const struct attempt *a);
/* Why an attempt that was found faster than its rival has no crown, be it kept or
 * not: one of unconfirmed, unsteady,
 * unsanitized, not crowned. OUTCOME_COUNT: it has one, or was not found
 * faster. */
enum attempt_outcome attempt_doubt(const struct attempt *a);
/* Adds the line for it, as attempt_outcome_explain does; only where it is one. */
void attempt_doubt_explain(struct buf *out, const struct attempt *a);
/* The one of these that is fastest, if it is faster than the start; NULL: there is
 * none. Borrowed. */
const struct attempt *attempt_nearest(const struct population *p);
/* Those that may be faster than the champion by 2 % or more, and that an unsteady
 * machine left open: at most `most` into out, the fastest first, borrowed. Their
 * number; 0 where there is no champion. */
size_t attempt_maybe_faster(const struct attempt **out, size_t most,
			    const struct population *p);
/* The command that measures the run's attempt once more; free() disposes. */
char *attempt_again_command(const char *run,
			    const struct attempt *a) MUST_CHECK;

#endif
