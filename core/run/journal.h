/*
 * The journal of a run: the list of what happened, entry by entry. It holds all
 * there is to know about a run: population.h folds the entries into the state
 * that the loop works on, so to resume is to read. gitstore keeps an entry as a
 * commit whose message is journal_subject(), an empty line and
 * journal_to_json().
 */
#ifndef CORE_RUN_JOURNAL_H
#define CORE_RUN_JOURNAL_H

#include "core/run/candidate.h"
#include "core/score/measurement.h"
#include "core/run/spend.h"

#define RUN_NAME_MAX 64
#define WRITER_LEN   16 /* hex */
/* Bytes of an entry as it is kept: what is longer is not read. */
#define JOURNAL_ENTRY_MAX ((size_t)1 << 20)

/* X(enumerator, name on disk) */
#define ENTRY_KINDS(X)                                                        \
	X(ENTRY_RUN, "run")	    /* the record of the run: first */        \
	X(ENTRY_START, "start")	    /* an evolve process began or resumed */  \
	X(ENTRY_ATTEMPT, "attempt") /* a candidate was made */                \
	X(ENTRY_MEASUREMENT, "measurement")   /* it was measured */           \
	X(ENTRY_CROWN, "crown")		      /* it is the champion now */    \
	X(ENTRY_INTERVENTION, "intervention") /* the supervisor intervened */ \
	/* the outcome of a step, or what its operator keeps */               \
	X(ENTRY_REMARK, "remark")                                             \
	X(ENTRY_STOP, "stop") /* with its reason */

enum entry_kind {
#define X(id, name) id,
	ENTRY_KINDS(X)
#undef X
		ENTRY_KIND_COUNT
};

#define REMARK_ON_RIVAL "rival"

/* X(enumerator, name): the roles of an operator that has some. A remark of one
 * has its name as the trigger, and what it made as the direction. */
#define ROLES(X)                     \
	X(ROLE_PLANNER, "planner")   \
	X(ROLE_WRITER, "writer")     \
	X(ROLE_DEBUGGER, "debugger") \
	X(ROLE_SEARCHER, "searcher") \
	X(ROLE_REVIEWER, "reviewer") \
	X(ROLE_SUPERVISOR, "supervisor")

enum role {
#define X(id, name) id,
	ROLES(X)
#undef X
		ROLE_COUNT
};
const char *role_name(enum role role);
/* ROLE_COUNT if there is none of this name (NULL: none). */
enum role role_find(const char *name);

struct entry {
	/* Set by the archive when the entry is written or read. */
	struct commit_id id;
	char writer[WRITER_LEN + 1];
	int64_t time_us;

	enum entry_kind kind;
	char run[RUN_NAME_MAX + 1];
	/* The candidate it is about; "" if there is none. */
	struct commit_id candidate;

	/* run */
	struct commit_id base;
	/* Written by a person, attempt 1; `number` where that is 2 or more: the
	 * one before failed, and the run begins with this one; or "". */
	struct commit_id from;
	char *task_path;
	char task_id[IDENTITY_HEX_LEN + 1];
	uint64_t seed;
	/* run, start, crown: the kind of machine it is about */
	char machine[IDENTITY_HEX_LEN + 1];
	char *machine_name; /* run: for people */
	/* run, start: the limits and operator in force */
	char *operator_name;
	int64_t max_attempts;
	double max_seconds;
	/* attempt, remark */
	char *operator_state; /* JSON text for the operator to resume; or NULL */
	/* attempt, run */
	int64_t number; /* 1, 2, ... in this run; 0 is the base */
	int64_t lineage;
	struct commit_id parent;
	struct commit_id after; /* rejected candidate it was edited on */
	char *subject;		/* what was tried */
	char *hypothesis;	/* why it should help; may be NULL */
	/* Ids of the entries of roles that it follows (its plan, its review),
	 * separated by spaces; or NULL. */
	char *artefacts;
	/* measurement */
	bool accepted; /* it is the tip of its lineage now */
	struct measurement *measurement;
	/* intervention */
	int64_t new_lineage; /* begins at `candidate` */
	/* Of the new lineage, and the one that `candidate` came from; 0: none. */
	int64_t island, from_island;
	char *trigger; /* "stall", ...: a name of supervisor.h */
	/* For the operator, many lines; of a role's remark, what it made. */
	char *direction;
	int64_t stalled_attempts; /* since the last gain, */
	double stalled_seconds;	  /* seconds of work since that gain */
	/* intervention, remark, stop: for people. A remark of the scorer
	 * instead of the operator has the trigger REMARK_ON_RIVAL, one of a role
	 * the role's name. */
	char *reason;
	/* stop, measurement, intervention: seconds since the run's start */
	double spent_seconds;
	/* Any kind: spent since this writer's previous entry. */
	struct spend spend;
	/* remark of a role, intervention: of its talk, in `spend` of this entry
	 * and those before it */
	struct spend role_spend;
};

/* The first line of the entry's commit. free() disposes. */
char *journal_subject(const struct entry *e) MUST_CHECK;
struct json *journal_to_json(const struct entry *e) MUST_CHECK;
/* Fills everything but id and writer. The entry may come from another clone: an
 * impossible value is read as if it were missing, and a measurement is checked
 * (measurement_check). entry_release disposes. */
struct error *journal_from_json(struct entry *out,
				const struct json *j) MUST_CHECK;
/* Copies from the text of that JSON to *out what folding needs (population.h):
 * it leaves out what a brief measurement lacks, but keeps the name of the
 * machine, which is read from the first measurement on each machine. False if
 * the text is not such JSON. */
bool journal_skim(struct buf *out, const char *json, size_t len) MUST_CHECK;
void entry_init(struct entry *e, enum entry_kind kind, const char *run);
void entry_release(struct entry *e);

DEFINE_RELEASE(entry, struct entry, entry_release)
#define cleanup_entry CLEANUP(entry)

#endif
