/*
 * The roles of the runner, one of which main.c calls: what a process in the
 * sandbox is there for. Those of the GPU begin with an open driver.
 */
#ifndef RUNNER_ROLES_H
#define RUNNER_ROLES_H

#include "scorer/runner/channel.h"
#include "scorer/runner/load.h"
#include "scorer/runner/reference.h"
#include "scorer/wire/gpu_protocol.h"

/* ---- on the CPU ---------------------------------------------------------- */

/* The process of a candidate (or a baseline: the same). Serves launches of
 * `entry` until the scorer is gone; `prepare` may be NULL. `r` is the storage
 * that fault reports look at. */
void candidate_serve(union runner_request *r, function entry, function prepare);

/* The judge: makes inputs and poison, knows what is right, and says how far off
 * an output is. Holds the task's own code, never a candidate's. */
void judge_serve(union runner_request *r, const struct functions *f);

/* ---- on a GPU ------------------------------------------------------------ */

struct gpu_device;

/* A spare: a runner that has the GPU open and holds no other code, so that it can
 * be started before it is needed. Its first request decides for good whether it
 * becomes a launcher (device code) or a capturer (a candidate's whole object).
 * Answers STARTED when the GPU is open. */
void spare_serve(union runner_request *r);

/* A capturer: holds a CUDA candidate's host code. Calls it on stand-in memory,
 * captures the second call, and writes what was launched into a plan; the same
 * for `prepare` (NULL: none). `gpu` is open; borrowed. */
void capture_serve(union runner_request *r, const struct gpu_device *gpu,
		   function entry, function prepare);

/* A launcher: replays a plan on the scorer's memory. Of the candidate's code it
 * holds the kernels alone: `cubins`, which are closed. `gpu` is open;
 * borrowed. */
void launch_serve(union runner_request *r, const struct gpu_device *gpu,
		  int cubins);

/* A resident: a candidate's or baseline's own host code with the scorer's
 * memory mapped, called as a user would call it. No prepare: NULL. */
void resident_serve(union runner_request *r, function entry, function prepare);

/* The judge on the GPU: owns the memory that launchers map, makes inputs and
 * poison there, runs the task's reference there, and compares. */
void gpu_judge_serve(union runner_request *r, const struct functions *f);

/* Measures what a card can do at most: kernels of the runner's own
 * (runner_gpu/ceilings*.cu), each for as long as it is asked. What it has no
 * kernel for it answers with zeros. */
void ceilings_serve(union runner_request *r);

/* Of n steps that each did `work`: the rate over the best 100 ms in a row (all
 * of them where they are less), and that of the median step. Sorts them. */
void ceilings_sum_up(struct gpu_ceiling_reply *out, double *seconds, size_t n,
		     double work);

/*
 * Under a profiler or a sanitizer: plays one launch of a plan on memory of its
 * own, with inputs of the recipe that scoring uses. A profiler is asked to look
 * at that and at nothing else; a sanitizer looks at all, and there memory is
 * what it can tell right from wrong by: a fence around each tensor, and nothing
 * written that the task does not write. It runs outside the sandbox (a
 * profiler's counters need the machine's permission), so it holds none of the
 * candidate's host code, and refuses where the card reaches ordinary memory
 * (HMM): there a kernel could write into this very process.
 *
 * The exit code: 0, or 1 with the reason in the folder's REPLAY_SAID or
 * REPLAY_REFUSED.
 */
int profiled_run(const char *folder);

#endif
