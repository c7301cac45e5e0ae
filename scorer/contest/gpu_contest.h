/*
 * A contest on the GPU: which process holds which plan, in which buffers, and
 * one half of a block. contest.c, block.c and correctness.c handle arms on the
 * CPU and call these functions for a task in CUDA.
 *
 * What a contender does wrong is an outcome; what the task or the machine does
 * wrong is an error.
 */
#ifndef SCORER_CONTEST_GPU_CONTEST_H
#define SCORER_CONTEST_GPU_CONTEST_H

#include "core/score/measurement.h"
#include "scorer/contest/half.h"
#include "scorer/build/build.h"
#include "scorer/contest/correctness.h"
#include "scorer/host/gpu_process.h"

struct gpu_contest;

/* Borrows `c`, which outlives it. The twin has a launcher of its own.
 * gpu_contest_free disposes; NULL is allowed there. */
struct gpu_contest *gpu_contest_new(struct contest *c) MUST_CHECK;
void gpu_contest_free(struct gpu_contest *f);

/* Captures missing plans and starts new launchers and residents for all that
 * still take part. Ends those of before. */
struct error *gpu_contest_start(struct score_outcome *o,
				struct gpu_contest *f) MUST_CHECK;
void gpu_contest_stop(struct gpu_contest *f);
/* As half_run. */
struct error *gpu_contest_half(struct score_outcome *o, struct gpu_contest *f,
			       struct half *h, const size_t *order) MUST_CHECK;
/* As correctness_check, for a task in CUDA. `soon`: spare runners that will be
 * needed afterwards; they are started meanwhile. */
struct error *gpu_correctness(struct score_outcome *o,
			      struct correctness *found, struct scoring *sc,
			      const struct build *build,
			      size_t soon) MUST_CHECK;
/* Adds what the card did during the contest (clocks, power, temperature) to
 * the environment of a measurement. */
void gpu_contest_record(struct measurement *m, const struct gpu_contest *f);
/* At the end of the contest: the verdicts that need all halves, see
 * gpu_clocks.c. */
void gpu_contest_finish(struct score_outcome *o, const struct gpu_contest *f);
/* The largest difference (log ratio) that something else than the candidate's
 * speed can explain: a card that slowed itself down, time that events leave
 * out, work done in a first launch, in class isolated the time to hand inputs
 * over. *why (free it) is a clause for people. 0: none. */
double gpu_contest_bias(char **why, const struct gpu_contest *f);

#endif
