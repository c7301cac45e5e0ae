/*
 * The roles of the runner: the tasks of a process in the sandbox, one of which
 * main.c calls. Roles on the GPU begin with an open driver.
 */
#ifndef RUNNER_ROLES_H
#define RUNNER_ROLES_H

#include "scorer/runner/channel.h"
#include "scorer/runner/load.h"
#include "scorer/runner/reference.h"
#include "scorer/wire/gpu_protocol.h"

/* ---- on the CPU ---------------------------------------------------------- */

/* The process of a candidate or baseline. Serves launches of `entry` until the
 * scorer is gone; `prepare` may be NULL. Fault reports read `r`. */
void candidate_serve(union runner_request *r, function entry, function prepare);

/* The judge: makes inputs and poison, computes what is right, and compares
 * outputs with it. Holds the task's own code, never a candidate's. */
void judge_serve(union runner_request *r, const struct functions *f);

/* ---- on a GPU ------------------------------------------------------------ */

struct gpu_device;

/* A spare: a runner that has the GPU open and holds no other code, so that it
 * can be started before it is needed. Its first request decides for good
 * whether it becomes a launcher (device code) or a capturer (a candidate's
 * whole object). Answers STARTED when the GPU is open. */
void spare_serve(union runner_request *r);

/* A capturer: holds a CUDA candidate's host code. Calls it on stand-in memory,
 * captures the second call, and writes its launches into a plan; the same for
 * `prepare` (NULL: none). `gpu` is open; borrowed. */
void capture_serve(union runner_request *r, const struct gpu_device *gpu,
		   function entry, function prepare);

/* A launcher: replays a plan on the scorer's memory. It holds only the
 * candidate's kernels: `cubins`, which it closes. `gpu` is open; borrowed. */
void launch_serve(union runner_request *r, const struct gpu_device *gpu,
		  int cubins);

/* A resident: a candidate's or baseline's host code with the scorer's memory
 * mapped, called as a user would call it. `prepare` may be NULL. */
void resident_serve(union runner_request *r, function entry, function prepare);

/* The judge on the GPU: owns the memory that launchers map, makes inputs and
 * poison there, runs the task's reference there, and compares. */
void gpu_judge_serve(union runner_request *r, const struct functions *f);

/* Measures the limits of a card with the runner's own kernels
 * (runner_gpu/ceilings*.cu), each for the time in the request. Answers zeros if
 * it has no kernel for a ceiling. */
void ceilings_serve(union runner_request *r);

/* The rate of n steps that each did `work`: over the best 100 ms in a row (over
 * all steps if they take less), and of the median step. Sorts `seconds`. */
void ceilings_sum_up(struct gpu_ceiling_reply *out, double *seconds, size_t n,
		     double work);

/*
 * Under a profiler or a sanitizer: plays one launch of a plan on its own
 * memory, with inputs of the recipe that scoring uses. A profiler records only
 * that launch. A sanitizer checks all accesses, so there each tensor has a
 * fence, and only the task's own data is written. The process runs outside the
 * sandbox (a profiler's counters need the machine's permission), so it holds
 * none of the candidate's host code, and it refuses if the card can access
 * ordinary memory (HMM): there a kernel could write into this process.
 *
 * The exit code: 0, or 1 with the reason in the folder's REPLAY_SAID or
 * REPLAY_REFUSED.
 */
int profiled_run(const char *folder);

#endif
