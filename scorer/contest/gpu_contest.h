/*
 * A contest on the GPU: which process holds which plan, and in which buffers.
 * Where contest.c, block.c and correctness.c speak of arms, this is what they
 * mean for a task in CUDA.
 */
#ifndef SCORER_CONTEST_GPU_CONTEST_H
#define SCORER_CONTEST_GPU_CONTEST_H

#include "core/score/measurement.h"
#include "scorer/contest/block.h"
#include "scorer/build/build.h"
#include "scorer/contest/correctness.h"
#include "scorer/host/gpu_process.h"

struct gpu_contest;

/* `n` contenders of `contest`; the twin has a launcher of its own. */
struct gpu_contest *gpu_contest_new(struct contest *c) MUST_CHECK;
void gpu_contest_free(struct gpu_contest *f);

/* Captures what was not captured yet, and makes launchers anew. */
struct error *gpu_contest_start(struct score_outcome *o,
				struct gpu_contest *f) MUST_CHECK;
void gpu_contest_stop(struct gpu_contest *f);
/* As block_half. */
struct error *gpu_contest_half(struct score_outcome *o, struct gpu_contest *f,
			       struct block *b, const size_t *order) MUST_CHECK;
/* As correctness_check. So many spare runners will be needed `soon`: they are
 * made meanwhile. */
struct error *gpu_correctness(struct score_outcome *o,
			      struct correctness *found, struct scoring *sc,
			      const struct build *build,
			      size_t soon) MUST_CHECK;
/* What the card did meanwhile, into the environment of a measurement. */
void gpu_contest_record(struct measurement *m, const struct gpu_contest *f);
/* At the end of the contest: what only all halves together show. */
void gpu_contest_finish(struct score_outcome *o, const struct gpu_contest *f);
/* The largest difference (log ratio) that a card which slowed itself down, for
 * heat or by its board, could have made between two arms, or in class isolated
 * a candidate that shaves the way there and back; *why (free it) says so. 0:
 * none. */
double gpu_contest_bias(char **why, const struct gpu_contest *f);

#endif
