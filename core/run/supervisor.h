/*
 * The supervisor watches the trajectory of a run and redirects it. On a stall
 * or a cycle it reviews what was tried, chooses an earlier candidate and begins
 * a new lineage there, with a direction in words for the operator. It does so
 * by rule; an advisor (for example a model) may have a better idea.
 *
 * It has no state of its own: an intervention is an entry of the journal, and
 * its input is the population. So a resumed run neither repeats an intervention
 * nor forgets how long it has been waiting. After an intervention the new
 * lineage gets its chance: half of `stall` attempts, whatever they give.
 */
#ifndef CORE_RUN_SUPERVISOR_H
#define CORE_RUN_SUPERVISOR_H

#include "core/run/allowance.h"
#include "core/run/archive.h"
#include "core/run/branching.h"
#include "core/run/dead_end.h"
#include "core/base/random.h"
#include "core/task/task.h"

/* X(enumerator, name in the journal) */
#define TRIGGERS(X)                                                           \
	X(TRIGGER_NONE, "none")                                               \
	X(TRIGGER_SAME_ERROR, "same-error") /* three times in a row */        \
	X(TRIGGER_CYCLE, "cycle")	  /* the same few, again and again */ \
	X(TRIGGER_FAILURES, "failures")	  /* eight in a row */                \
	X(TRIGGER_STALL, "stall")	  /* attempts without a gain */       \
	X(TRIGGER_PATIENCE, "patience")	  /* time without a gain */           \
	X(TRIGGER_ASKED, BRANCHING_ASKED) /* by the user; no review's */

enum trigger {
#define X(id, name) id,
	TRIGGERS(X)
#undef X
};

/* The input of a review. All borrowed. */
struct situation {
	const struct task *task;
	const struct population *population; /* has a record */
	struct archive *archive;     /* for figures; may be NULL: no archive */
	struct allowance *allowance; /* for the advisor */
	struct dead_ends *dead_ends; /* may be NULL: none is known */
	double spent_seconds;	     /* of work since the start of the run */
};

/* The question to an advisor. */
struct question {
	const struct situation *now;
	/* In one line: "stall: 12 attempts and 3m of work without a gain". */
	const char *trouble;
	const char *review; /* core/run/review.h: what was tried, what failed */
	size_t parent;	    /* index of the attempt the rule would choose */
};

struct advice {
	char *direction; /* words for the operator; NULL: no idea. Owned. */
	size_t parent;	 /* index; the question's if it is not set */
	/* Of the talk; in what the run spent. Set without a direction too. */
	struct spend spend;
};

/* Can be asked where to go on. */
struct advisor {
	const char *name; /* for the journal */
	/* What to do instead, and at which accepted attempt to begin. Advice
	 * without a direction, or with a parent that is not such an attempt, is
	 * ignored. After an error the rule decides, and the journal says why;
	 * only ERROR_INTERRUPTED stops the run. */
	struct error *(*advise)(struct advisor *self, struct advice *out,
				const struct question *q);
};

struct supervisor {
	struct supervisor_rules rules;
	struct advisor *advisor; /* (optional), borrowed */
	bool can_profile;	 /* an operator can profile a candidate */
	/* The operator searches among what is declared, and takes no direction:
	 * what is said is for the person who reads it. */
	bool searches;
};

struct intervention {
	enum trigger trigger; /* TRIGGER_NONE: go on as before */
	size_t parent;	      /* index of the attempt where a lineage begins */
	/* One line for people and the operator: the trigger's name, figures,
	 * the attempt where the new lineage begins. */
	char *reason;
	char *direction;    /* lines, for the operator: review, what to do */
	struct spend spend; /* of the advisor */
	/* Since the last gain. */
	size_t attempts;
	double seconds;
};

/* No lineage begins at a dead end; if all are dead ends, there is no
 * intervention. intervention_release disposes of *out. */
struct error *supervisor_review(struct intervention *out,
				const struct supervisor *s,
				const struct situation *now,
				struct random *r) MUST_CHECK;
/* Makes the journal's entry of an intervention. entry_release disposes. */
void intervention_entry(struct entry *out, const struct intervention *i,
			const struct population *p);
void intervention_release(struct intervention *i);

DEFINE_RELEASE(intervention, struct intervention, intervention_release)
#define cleanup_intervention CLEANUP(intervention)

/* Is an intervention with this trigger the supervisor's, and not one of the islands
 * or of the user? */
bool supervisor_said(const char *trigger);

#endif
