/*
 * The scoring function: builds a candidate in the sandbox, holds what it
 * computes against the reference, and times it against its rivals. Three
 * processes: this one owns the clock, the seeds and the statistics; a judge
 * makes the inputs and the comparison; the candidate runs in neither. How,
 * and what it defends against: docs/scoring.md.
 */
#ifndef SCORER_SCORER_H
#define SCORER_SCORER_H

#include "core/run/evaluator.h"
#include "core/run/stage.h"
#include "core/sandbox/sandbox.h"
#include "core/task/task.h"

/* Written into every measurement; raised when what a run decided before would
 * be decided otherwise now (docs/scoring.md, its end), since measurements of
 * different scorers are never ranked. */
#define SCORER_VERSION "8"

/* The same of scores that a command reports. */
#define REPORTED_VERSION "reported-1"

struct scorer_options {
	const char *cache_dir;	   /* for built objects; rebuilt when missing */
	double comparison_seconds; /* cap of one comparison; 0: 20 */
	uint64_t seed;		   /* 0: a fresh one for every scoring */
	const volatile int *stop_now; /* gives up at once when 2; may be NULL */
	/* Ends a wait for the CPUs when not 0; may be NULL. */
	const volatile int *stop;
	/* CUDA: the card, by its number or UUID (gpus_choose of
	 * scorer/device/gpu.h); NULL: the first. */
	const char *gpu;
	/* Folder for the locks of CPUs, which all programs that shall not time
	 * on the same ones have in common; NULL: no locks. */
	const char *locks;
	/* For what takes a while and was not asked for; may be NULL. */
	void (*say)(const char *sentence);
	/* Gets what a scoring does at the moment; may be NULL. Borrowed. */
	struct work_stage *stage;
	/* The seconds for which another program had the CPUs are added to it; may
	 * be NULL. Borrowed. */
	double *waited;
};

/* `base` has the trusted files (reference, baselines, includes). Borrows task
 * and sandbox, which must outlive it. scorer_free disposes. */
struct error *scorer_new(struct evaluator **out, const struct task *task,
			 const struct fileset *base,
			 const struct sandbox *sandbox,
			 const struct scorer_options *options) MUST_CHECK;
/* ERROR_REFUSED where kernels of the task's language can be built here but not
 * run: nothing can be searched for or verified then. */
struct error *scorer_require_device(struct evaluator *e) MUST_CHECK;
/* Checks that sanitizers can run: ERROR_REFUSED for a
 * task that is not in CUDA and where there is no GPU, ERROR_NOT_FOUND where
 * compute-sanitizer is not installed. */
struct error *scorer_require_sanitizer(struct evaluator *e) MUST_CHECK;
/* Refuses a task that cannot tell right from wrong: an output that is
 * constant or varies less than the tolerance, an input without influence.
 * Without a device only whether reference and baselines build and have the
 * functions that the task names. */
struct error *scorer_check_task(struct evaluator *e) MUST_CHECK;
/* Checks whether the task's runner keeps the runner protocol, with a candidate
 * that is right. `line` gets each check's name, and the reason if it failed. An
 * error: it could not be checked. */
struct runner_check_report {
	void (*line)(void *arg, bool ok, const char *what, const char *why);
	void *arg;
};
struct error *scorer_check_runner(
	struct evaluator *e, const struct candidate *candidate,
	const struct runner_check_report *report) MUST_CHECK;
void scorer_free(struct evaluator *e);

/* ---- several cards (pool.c) ---------------------------------------------- */

/* One evaluator over n scorers of the same task, each with a card of its own:
 * it scores, profiles and runs microbenchmarks on n cards at a time, each from
 * beginning to end on one of them, in a thread that lives as long as the pool,
 * since children of a scorer end with the thread that made them. Borrows the
 * scorers, which must outlive it; only their owner's thread may use them
 * beside it, and only for what runs nothing on the card. `stop_now` as in the
 * options, those of the first scorer; in the options of the others it is
 * `stop_others`, which the pool sets: to 2 with `stop_now`, and when it is
 * freed, since these get ready at once and that may take minutes. ERROR_USAGE
 * if two have the same card. ERROR_REFUSED if the cards are of different kinds,
 * or programs cannot be kept to one of them. */
struct error *scorer_pool_new(struct evaluator **out,
			      struct evaluator *const *scorers, size_t n,
			      const volatile int *stop_now,
			      volatile int *stop_others) MUST_CHECK;
/* Stops what gets ready, waits for the threads. NULL is allowed. */
void scorer_pool_free(struct evaluator *e);

DEFINE_CLEANUP(evaluator, struct evaluator, scorer_free)
#define cleanup_evaluator CLEANUP(evaluator)

#endif
