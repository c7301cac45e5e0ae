/*
 * The population P of AVO: every attempt of a run, its lineages and its
 * champion, folded from the journal. Applying the same entries in the same
 * order gives the same population in every clone.
 */
#ifndef CORE_POPULATION_H
#define CORE_POPULATION_H

#include "core/journal.h"

struct attempt {
	char id[COMMIT_ID_LEN + 1]; /* commit of the candidate */
	char parent[COMMIT_ID_LEN + 1];
	char after[COMMIT_ID_LEN + 1];
	int64_t number; /* 0: the base of the run */
	int64_t lineage;
	char *subject, *hypothesis, *operator_state;
	int64_t time_us;
	bool accepted, crowned;
	struct measurement *measurement; /* the last; NULL: in flight or lost */
	/* log of its speed over the start of the run, chained through measured
	 * pairs; NAN where no chain leads to it. */
	double gain;
};

struct lineage {
	int64_t number; /* 1, 2, ... */
	size_t root;	/* index of the attempt it begins at (not part of it) */
	size_t tip;	/* last accepted attempt, or root */
	/* Why it was begun, in a line, and what to do there, for the operator;
	 * NULL for the first. */
	char *reason, *direction;
	size_t attempts, since_gain;
};

struct population {
	struct entry record; /* the run entry */
	bool has_record;
	struct attempt *attempt; /* [0] is the base once there is a record */
	size_t n, cap;
	struct lineage *lineage;
	size_t n_lineages, cap_lineages;
	size_t champion; /* index; 0 until something is crowned */
	/* Since the last gain (an attempt was accepted) and since the last
	 * intervention: attempts measured, and the spend of then. */
	size_t since_gain, since_intervention;
	double gain_seconds, intervention_seconds;
	double spent_seconds;
	struct spend spend; /* by all processes of the run */
	int64_t time_us;    /* of the newest entry */
	char *stop_reason;  /* of the last stop; NULL while running */
	size_t interventions;
};

void population_init(struct population *p);
/* Copies what it needs of e. Entries that refer to unknown attempts are
 * ignored (another clone's entry may not have arrived yet). */
void population_apply(struct population *p, const struct entry *e);
void population_release(struct population *p);

/* Borrowed; NULL if unknown. */
struct attempt *population_find(const struct population *p, const char *id);
struct lineage *population_lineage(const struct population *p, int64_t number);
int64_t population_next_number(const struct population *p);
/* An attempt whose measurement is missing (its process was killed), oldest
 * first; NULL if there is none. */
struct attempt *population_in_flight(const struct population *p);
/* Lineages whose tip is their own (not the root) and not an ancestor of the
 * champion, best first, at most `max`: what gets a branch of its own. */
size_t population_live(const struct population *p, size_t *lineage_index,
		       size_t max);

DEFINE_RELEASE(population, struct population, population_release)
#define cleanup_population CLEANUP(population)

#endif
