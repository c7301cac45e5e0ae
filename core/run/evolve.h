/*
 * The algorithm: choose a parent, let the operator vary it, score the result,
 * keep what is better; until a budget is spent, the operator has nothing left
 * to try or the run is asked to stop. It reaches everything outside through
 * three interfaces (archive, evaluator, variation operator) and a listener.
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
	EVOLVE_MIGRATED, /* or an island begins: text; there with the attempt */
	/* text: the outcome of a step of the operator; with an attempt: what
	 * happened to that attempt as a rival. */
	EVOLVE_REMARKED,
	EVOLVE_WORKING, /* text: what the operator waits for */
	EVOLVE_WAITING, /* text: nothing goes on at the moment, and why */
	EVOLVE_NOTICED, /* text: what went another way than was asked for */
	EVOLVE_SPENT,	/* text: what the run has spent so far */
	EVOLVE_STOPPED,
};

struct evolve_listener {
	void (*on_event)(struct evolve_listener *self, enum evolve_event event,
			 const struct population *p,
			 const struct attempt *attempt, const char *text);
};

/* Several agents at once on one run (core/run/agents.h). All zero: one. */
struct evolve_agents {
	size_t n;
	/* One each; none is the run's own operator_, which names the run and
	 * advises. Borrowed. */
	struct variation_operator **operator_;
	struct variation_operator **tuner; /* variation.tuner */
	/* How many may think at a time: agents wait for their turn in a fixed
	 * order. 0: all think, and the one that is ready first is first. */
	size_t in_order;
	size_t builds; /* at once, at most */
	/* Agent i is of island i modulo their number. */
	struct island_rules islands;
};

struct evolve {
	const struct task *task;
	struct archive *archive;
	struct evaluator *evaluator;
	struct variation_operator *operator_;
	/* For operators other than the tuner (variation.h); or NULL. */
	struct variation_operator *tuner;
	struct evolve_agents agents;
	struct evolve_listener *listener; /* (optional) */
	const struct sandbox *sandbox; /* for the operator's tools; or NULL */
	struct supervisor supervisor;
	char run[RUN_NAME_MAX + 1];
	/* For a new run: the commit that the winner will be a change to. */
	struct commit_id base;
	/* For a new run, and for one whose start failed (population_start_failed):
	 * the candidate to start from, written by a person, a descendant of the
	 * base. It becomes the next attempt. "" or the id of the base: start from
	 * the base. */
	struct commit_id from;
	const char *from_subject; /* subject of its commit */
	/* Of a run that goes on: an attempt that passes, and at which a lineage
	 * begins unless the newest one did, or has it as its tip; "":
	 * none. */
	struct commit_id branch;
	/* What the operator's one candidate was made from: its lineage gets it
	 * (selection_of_tip); "": a lineage is chosen. */
	struct commit_id made_from;
	uint64_t seed; /* for a new run; 0: a random one */
	/* Attempts and seconds count from this call on; the spend counts from
	 * the start of the run. 0: no limit. */
	struct budget_limits budget;
	/* Candidates cannot run here: they are built and recorded, and another
	 * machine measures them. Needs an operator that proposes. */
	bool proposes;
	/* At the end the best attempts that were not distinguished from their
	 * rival are measured again, with more patience. */
	bool final;
	/* Ids of attempts: these are measured again, and nothing else is done;
	 * NULL: the algorithm. Borrowed. */
	const struct strvec *again;
	/* Set from a signal handler; 1: finish the attempt, then stop. */
	const volatile int *stop_requested;
	/* For the allowance of operators (optional, both). */
	const volatile int *stop_now;
	void (*cancel)(bool on);
};

enum ending {
	ENDING_DONE,	    /* a budget is spent, or nothing is left to try */
	ENDING_INTERRUPTED, /* the run was asked to stop */
	ENDING_FAILED,	    /* the operator failed several times in a row */
};

/* Runs the algorithm. p->stop_reason says why it stopped: "attempts", "time",
 * "tokens", ..., "interrupted", "exhausted", or a sentence. Fills the
 * population from the archive and keeps it up to date; the caller owns it. An
 * error after the start is also in the journal, as the stop "error: ...". */
struct error *evolve_run(enum ending *ending, struct population *p,
			 struct evolve *e) MUST_CHECK;

#endif
