/*
 * A contest on the GPU: which process holds which plan, in which buffers, and
 * one half. contest.c, half.c and correctness.c handle arms on the CPU and call
 * these functions for a task in CUDA.
 *
 * A contest has a launcher or a resident for each contender that takes part,
 * and another one for the A/A twin; a plan for each replayed contender and
 * case; and the buffers of one case at a time. Processes and plans may be
 * replaced during the contest. What was sampled of the card and of the clocks
 * is kept until the end.
 *
 * What a contender does wrong is an outcome, *o; what the task or the machine
 * does wrong is an error.
 */
#ifndef SCORER_CONTEST_GPU_CONTEST_H
#define SCORER_CONTEST_GPU_CONTEST_H

#include "core/score/measurement.h"
#include "scorer/contest/half.h"
#include "scorer/build/build.h"
#include "scorer/contest/correctness.h"
#include "scorer/host/gpu_process.h"

struct gpu_contest;

/* ---- start and end ------------------------------------------------------- */

/* Borrows `c`, which outlives it. Starts to watch the card, and no process of a
 * contender. gpu_contest_free disposes. */
struct gpu_contest *gpu_contest_new(struct contest *c) MUST_CHECK;
/* Ends all processes of the contest. NULL is allowed. */
void gpu_contest_free(struct gpu_contest *f);

/* Before the first phase: captures all that will be needed, so that the
 * candidate's capturer can go on with that phase: *capturer, which runner_free
 * disposes. What a capturer is asked up to then is the same for a candidate and
 * its rivals: none learns which it is. Its plans are copies that it cannot
 * reach. *capturer is NULL where any of it failed, and the contest is of no use
 * then; *o where it was a contender's fault. */
struct error *gpu_contest_capture_first(struct score_outcome *o,
					struct runner **capturer,
					struct gpu_contest *f) MUST_CHECK;
/* Takes over *launcher (NULL: none) of gpu_correctness: the candidate's launcher
 * in the first processes of the contest. */
void gpu_contest_lend(struct gpu_contest *f, struct runner **launcher);
/* Stops the processes that there are, captures missing plans, and starts new
 * launchers and residents for all contenders that still take part. If a plan
 * cannot be captured the contest goes on in class isolated. Returns when the
 * card is watched. */
struct error *gpu_contest_start(struct score_outcome *o,
				struct gpu_contest *f) MUST_CHECK;
/* Gives all launchers and residents up (launchers.h ends them while nothing is
 * timed) but those of a baseline in Python, which last for a whole comparison:
 * a process of it starts and compiles for seconds. Plans and buffers stay. */
void gpu_contest_stop(struct gpu_contest *f);

/* ---- halves, and correctness --------------------------------------------- */

/* As half_run: runs the slots of `h` in this order on a new input set, puts the
 * seconds of a launch into h->seconds, and checks the outputs. Repeats the half
 * with new inputs, a few times, while a batch in it is late. */
struct error *gpu_contest_half(struct score_outcome *o, struct gpu_contest *f,
			       struct half *h, const size_t *order) MUST_CHECK;
/* As correctness_check, for a task in CUDA. Takes over *capturer, of
 * gpu_contest_capture_first (NULL: it takes another). `soon`: spare runners that
 * will be needed afterwards; they are started meanwhile. *launcher, which
 * runner_free disposes: the one that replayed it, if it was right and one queue was
 * enough, else NULL; where `launcher` is NULL none is handed over. */
struct error *gpu_correctness(struct score_outcome *o,
			      struct correctness *found, struct scoring *sc,
			      const struct build *build,
			      struct runner **capturer,
			      struct runner **launcher, size_t soon) MUST_CHECK;

/* ---- after the last half ------------------------------------------------- */

/* Adds what the card did during the contest (clocks, power, temperature) to
 * the environment of a measurement. */
void gpu_contest_record(struct measurement *m, const struct gpu_contest *f);
/* The verdicts that need all halves, see gpu_clocks.c. */
void gpu_contest_finish(struct score_outcome *o, struct gpu_contest *f);
/* The largest difference (log ratio) that something else than the candidate's
 * speed can explain: a card that slowed itself down, time that events leave
 * out, work done in a first launch, in class isolated the time to hand inputs
 * over. *why must be NULL or allocated; it is replaced by a clause for people
 * (free it) if the result is larger than 0. 0: no such difference. */
double gpu_contest_bias(char **why, const struct gpu_contest *f);

#endif
