/* A run that is about to go on, for the commands that extend one: `evolve`,
 * and `mcp`, whose stdout is the protocol's. */
#ifndef CMD_SESSION_EVOLVING_H
#define CMD_SESSION_EVOLVING_H

#include "cmd/session/choice.h"
#include "cmd/ui/progress.h"
#include "cmd/session/session.h"
#include "core/run/evolve.h"

struct evolve_options {
	const char *run;
	int64_t attempts;
	double seconds;
	/* What is spent, of the run in all. */
	int64_t steps, tokens;
	const char *money; /* dollars */
	double gpu_seconds;
	struct choice_options choice;
	const char *from;
	const char *base;
	bool as_it_is; /* the work tree, differing from the commit, is meant */
	uint64_t seed;
	const char *task;
	const char *color;
	const char *prompts; /* only these are written, here */
};

/* Everything such a command has open. */
struct evolving {
	struct session session;
	/* May be set before; else the task's, or the option's. Owned. */
	struct variation_operator *operator_;
	struct operator_choice choice; /* what that borrows */
	FILE *say;		       /* for people: stdout or stderr */
	struct population population;
	struct progress progress;
	struct evolve evolve;
	struct commit_id base;
	char *from_subject; /* of the commit a person wrote on the base */
	bool named;	    /* --run names a run that exists */
	bool own_task;	    /* and HEAD has another task than that */
	bool resumed;
	bool as_before; /* by the operator of the last time */
	size_t attempts_before;
};

/* Reads the task of a run that exists, at its base, whatever HEAD is; else *found
 * is false. Where `file` is given and is not the run's, that is an error. */
struct error *evolving_task(bool *found, struct session *s, const char *run,
			    const char *file) MUST_CHECK;

/* Opens all of it, finds and locks the run, and says so. e->evolve has no
 * listener then. */
struct error *evolving_prepare(struct evolving *e,
			       const struct evolve_options *o) MUST_CHECK;
void evolving_release(struct evolving *e);

DEFINE_RELEASE(evolving, struct evolving, evolving_release)
#define cleanup_evolving CLEANUP(evolving)

#endif
