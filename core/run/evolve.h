/*
 * The algorithm: choose a parent, let the operator vary it, score what comes,
 * keep what is better; until a budget is spent, the operator has nothing left
 * or somebody says stop. Everything outside reaches it through three
 * interfaces (archive, evaluator, variation operator) and a listener.
 */
#ifndef CORE_RUN_EVOLVE_H
#define CORE_RUN_EVOLVE_H

#include "core/run/archive.h"
#include "core/run/evaluator.h"
#include "core/run/supervisor.h"
#include "core/run/variation.h"

enum evolve_event {
	EVOLVE_STARTED,	 /* or resumed: the population is read */
	EVOLVE_SCORING,	 /* a candidate was committed, its scoring begins */
	EVOLVE_MEASURED, /* attempt has its measurement */
	EVOLVE_PROPOSED, /* attempt builds, and another machine measures it */
	EVOLVE_CROWNED,	 /* attempt is the champion */
	EVOLVE_INTERVENED,
	/* What a step of the operator came to; with an attempt: what became of
	 * that as a rival. */
	EVOLVE_REMARKED,
	EVOLVE_WORKING, /* text: what the operator waits for */
	EVOLVE_SPENT,	/* text: what the run took so far */
	EVOLVE_STOPPED,
};

struct evolve_listener {
	void (*on_event)(struct evolve_listener *self, enum evolve_event event,
			 const struct population *p,
			 const struct attempt *attempt, const char *text);
};

struct evolve {
	const struct task *task;
	struct archive *archive;
	struct evaluator *evaluator;
	struct variation_operator *operator_;
	struct evolve_listener *listener; /* (optional) */
	const struct sandbox *sandbox; /* for the operator's tools; or NULL */
	struct supervisor supervisor;
	char run[RUN_NAME_MAX + 1];
	/* Of a new run: what the winner will be a change to. */
	struct commit_id base;
	/* Of a new run: the candidate to go on from, a descendant of the base
	 * that a person wrote; its first attempt. "" or base: the base. */
	struct commit_id from;
	const char *from_subject; /* of its commit */
	uint64_t seed;		  /* of a new run; 0: a fresh one */
	/* Attempts and seconds are of this call, from now on; what is spent is
	 * of the run in all; 0 means no limit. */
	struct budget_limits budget;
	/* Nothing can be run here: what comes is built and recorded, for another
	 * machine to measure. Of an operator that proposes. */
	bool proposes;
	/* Set from a signal handler: 1 finish the attempt, then stop. */
	const volatile int *stop_requested;
};

enum ending {
	ENDING_DONE,	    /* a budget is spent, or nothing is left to try */
	ENDING_INTERRUPTED, /* somebody said stop */
	ENDING_FAILED,	    /* the operator failed, time after time */
};

/* Runs it. p->stop_reason says why it stopped: "attempts", "time", "tokens",
 * ..., "interrupted", "exhausted", or a sentence. The population is filled from
 * the archive and kept up to date; the caller owns it. An error is in the
 * journal too, as the stop "error: ...", where it came after the start. */
struct error *evolve_run(enum ending *ending, struct population *p,
			 struct evolve *e) MUST_CHECK;

#endif
