/* Prepares a run for the commands that extend one: `evolve`, and `mcp`, whose
 * stdout belongs to the protocol. */
#ifndef CMD_SESSION_EVOLVING_H
#define CMD_SESSION_EVOLVING_H

#include "cmd/session/choice.h"
#include "cmd/session/team.h"
#include "cmd/ui/progress.h"
#include "cmd/session/session.h"
#include "core/run/evolve.h"

struct evolving;
struct evolve_options;

struct far_opener {
	struct error *(*open)(struct evaluator **out, struct evolving *e,
			      const struct evolve_options *o);
	void (*free)(struct evaluator *e);
};

struct evolve_options {
	const char *run;
	int64_t attempts;
	double seconds;
	/* Limits of what the run spends in all. */
	int64_t steps, tokens;
	const char *money; /* dollars */
	double gpu_seconds;
	struct choice_options choice;
	int64_t agents;	    /* that think at a time; 0: one */
	int64_t in_order;   /* so many agents take turns; 0: no turns */
	int64_t islands;    /* of these agents; 0: the task's */
	int64_t builds;	    /* at once; 0: as many as there are CPUs */
	const char *known;  /* file of what others measured; or NULL */
	bool no_earlier;    /* no earlier run guides the tuner */
	const char *gpus;   /* cards to measure on, "0,1"; NULL: the first */
	const char *launch; /* where another machine measures; NULL: here */
	/* Opens the evaluator of such a launch, and disposes of it. */
	const struct far_opener *elsewhere;
	const char *from;
	const char *base;
	bool as_it_is;	  /* allow a work tree that differs from the commit */
	bool shared;	  /* other processes may extend the run, too */
	bool keep_before; /* leave `before` of struct evolving to the caller */
	uint64_t seed;
	const char *task;
	const char *color;
	bool json;	     /* events for programs, instead of lines */
	const char *prompts; /* folder: only write the prompts there */
};

/* Everything that such a command has open. */
struct evolving {
	struct session session;
	/* May be set by the caller; else the task's or the option's. Owned. */
	struct variation_operator *operator_;
	struct variation_operator *tuner; /* for others; NULL if it is that */
	struct operator_choice choice;	  /* what the operator borrows */
	struct team team;
	struct buf known;   /* what the tuners borrow */
	struct strvec gpus; /* the cards that are named */
	FILE *say;	    /* for people: stdout or stderr */
	struct population population;
	struct progress progress;
	struct evolve evolve;
	const struct far_opener *elsewhere; /* what far is freed by */
	struct evaluator *far;		    /* of a launch; NULL: none */
	const char *launch;		    /* its name */
	struct commit_id base;
	char *from_subject; /* of the commit that a person wrote on the base */
	/* The run as it was before this call; empty after evolving_prepare,
	 * unless keep_before asks for it. */
	struct population before;
	/* Where it goes on if the tuner varies it: going_on.h. */
	struct commit_id going_on;
	bool going_on_begins;
	int64_t branch_number; /* of evolve.branch; 0: none */
	bool named;	       /* --run names an existing run */
	bool own_task;	       /* HEAD has another task than the run */
	bool resumed;
	bool anew; /* a run of this name failed at its start, and is replaced */
	bool as_before; /* with the operator of the last time */
	size_t attempts_before;
};

/* Opens everything, finds and locks the run, and reports that. The caller sets
 * e->evolve's listener afterwards. */
struct error *evolving_prepare(struct evolving *e,
			       const struct evolve_options *o) MUST_CHECK;
void evolving_release(struct evolving *e);
/* Says that the champion's branch stays where it is, if it does: it is not moved
 * while it is checked out, since it is the user's then. */
void evolving_print_left(const struct session *s, const struct population *p);

DEFINE_RELEASE(evolving, struct evolving, evolving_release)
#define cleanup_evolving CLEANUP(evolving)

#endif
