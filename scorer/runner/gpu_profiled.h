/*
 * The runner under a profiler or a sanitizer: plays one launch of a plan on
 * memory of its own, with inputs of the recipe that scoring uses. A profiler
 * is asked to look at that and at nothing else; a sanitizer looks at all, and
 * there memory is what it can tell right from wrong by: a fence round each
 * tensor, and nothing written that the task does not write. It runs outside the sandbox (a profiler's
 * counters need the machine's permission), so it holds none of the
 * candidate's host code, and refuses where the card reaches ordinary memory
 * (HMM): there a kernel could write into this very process.
 */
#ifndef RUNNER_GPU_PROFILED_H
#define RUNNER_GPU_PROFILED_H

/* The exit code: 0, or 1 with the reason in the folder's REPLAY_SAID or
 * REPLAY_REFUSED. */
int profiled_run(const char *folder);

#endif
