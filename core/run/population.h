/*
 * The population P of AVO: every attempt of a run, its lineages and its
 * champion, folded from the journal. Applying the same entries in the same
 * order gives the same population in every clone.
 */
#ifndef CORE_RUN_POPULATION_H
#define CORE_RUN_POPULATION_H

#include "core/run/journal.h"

/* A win that one paired comparison found: over which attempt, and by how much. */
struct win {
	int64_t over; /* its number */
	double ratio; /* 0: no win was found */
	struct interval ratio95;
	bool confirmed;
};

struct attempt {
	struct commit_id id; /* commit of the candidate */
	struct commit_id parent;
	struct commit_id after;
	int64_t number; /* 0: the base of the run */
	int64_t lineage;
	char *subject, *hypothesis, *operator_state;
	int64_t time_us;
	bool accepted, crowned;
	/* What the models of the run had taken by then. */
	double tokens, dollars;
	/* The newest one; NULL: in flight or lost. Brief (measurement_brief),
	 * unless the attempt is among the newest, the start or the champion. */
	struct measurement *measurement;
	struct commit_id entry; /* has the whole measurement; or "" */
	/* Logarithm of its speed relative to the start of the run, chained
	 * through comparisons that were measured on one kind of machine; NAN if
	 * no chain leads to it. */
	double gain;
	/* Number of the kind of machine of its newest measurement, to which
	 * `gain` belongs; 0: none. The base's gain is of all kinds. */
	size_t kind;
	size_t standing; /* the first of its standings, index + 1; 0: none */
	/* The newest over the attempt that it had to beat, also where a later
	 * measurement was a comparison with another. */
	struct win won;
};

struct lineage {
	int64_t number; /* 1, 2, ... */
	size_t root;	/* index of the attempt it begins at (not part of it) */
	size_t tip;	/* last accepted attempt, or root */
	/* For the operator: why it was begun, in one line, and what to do
	 * there; NULL for the first. */
	char *reason, *direction;
	size_t attempts, since_gain;
	int64_t island;	     /* 1, 2, ...; 0: of none (islands.h) */
	int64_t from_island; /* its root came from there; 0: it did not */
	size_t began;	     /* so many attempts were there */
};

/* A kind of machine on which something of the run was measured. Its number is
 * its index + 1. */
struct machine_kind {
	char id[IDENTITY_HEX_LEN + 1];
	char *name;
	size_t champion; /* index of the attempt; 0: none was crowned on it */
};

/* What an attempt is on a kind of machine: kept for those that were measured on
 * several, or crowned. */
struct standing {
	size_t kind;
	double gain; /* by its last measurement there */
	bool crowned;
	size_t next; /* of the same attempt, index + 1; 0: the last */
};

/* What was said: an intervention, or a remark on a step of the operator. */
struct saying {
	enum entry_kind kind;
	size_t attempts; /* how many there were at that time */
	int64_t time_us;
	char *trigger, *reason, *direction; /* as in the entry; may be NULL */
	struct spend spend; /* of a role, the supervisor's too: its talk */
	/* Intervention only: the lineage it began, where, and why. */
	int64_t lineage;
	struct commit_id candidate;
	int64_t number; /* of that attempt; -1: the attempt was not known */
	int64_t stalled_attempts;
	double stalled_seconds;
};

/* So many attempts keep the whole measurement, besides start and champion. */
#define POPULATION_WHOLE 64

struct population {
	struct entry record; /* the run entry */
	bool has_record;
	struct attempt *attempt; /* [0] is the base once there is a record */
	size_t n, cap;
	struct lineage *lineage;
	size_t n_lineages, cap_lineages;
	/* Index; 0 until something is crowned. Of several kinds of machines, of
	 * that on which the run was begun again, or an attempt crowned, last. */
	size_t champion;
	/* Since the last gain (an attempt was accepted) and since the last
	 * intervention: attempts measured since, and the run's seconds then. */
	size_t since_gain, since_intervention;
	double gain_seconds, intervention_seconds;
	/* Index of a champion that was replaced by one that never beat it: two
	 * machines of one kind crowned different attempts. 0: none, or settled. */
	size_t contested;
	double spent_seconds;
	struct spend spend;   /* by all processes of the run */
	int64_t time_us;      /* of the newest entry */
	char *stop_reason;    /* of the last stop; NULL while running */
	size_t interventions; /* how many of the sayings */
	struct saying *sayings;
	size_t n_sayings, cap_sayings;
	struct machine_kind *machine;
	size_t n_machines, cap_machines;
	struct standing *standing;
	size_t n_standings, cap_standings;
	/* If not "": only what was measured on this kind of machine is
	 * applied. */
	char only[IDENTITY_HEX_LEN + 1];
	char *operator_name; /* of the last start */
	/* What the operator kept last between attempts, or NULL, and how many
	 * attempts there were at that time. */
	char *operator_state;
	size_t state_attempts;
	char writer[WRITER_LEN + 1]; /* of the newest entry */
	int64_t highest;	     /* highest number of an attempt */
	/* All attempts before this index have a measurement. */
	size_t settled;
	size_t whole[POPULATION_WHOLE], n_whole; /* a ring */
	/* Hash table by id: index + 1 of an attempt, open addressing, the size
	 * a power of two; 0 is free. Indices, because attempts move when their
	 * array grows. */
	uint32_t *slot;
	size_t n_slots;
	/* One block, owned, read from a cache: strings and measurements may be
	 * in it instead of on the heap. */
	char *block;
	size_t block_len;
};

void population_init(struct population *p);
/* Copies what it needs of e. Ignores an entry that refers to an unknown attempt
 * (another clone's entry may not have arrived yet). A measurement that
 * journal_skim made brief stays brief. */
void population_apply(struct population *p, const struct entry *e);
void population_release(struct population *p);
/* Rebuilds the table of ids after p->attempt was filled directly. */
void population_index(struct population *p);
/* Adds an attempt, in flight and without a gain, for the caller to fill in.
 * Borrowed until the next call. */
struct attempt *population_add(struct population *p, const char *id);
/* Replaces a string of the population by a copy of text (may be NULL). */
void population_set_text(const struct population *p, char **at,
			 const char *text);
/* Replaces a measurement; takes m. */
void population_set_measurement(const struct population *p, struct attempt *a,
				struct measurement *m);

/* Borrowed; NULL if unknown. */
struct attempt *population_find(const struct population *p, const char *id);
/* The lineage with this number; NULL if there is none. Borrowed. */
struct lineage *population_lineage(const struct population *p, int64_t number);
/* One more than the highest number of an attempt. */
int64_t population_next_number(const struct population *p);
/* How many times faster than the start of the run: exp(gain). If it was
 * compared with the start directly, this is the ratio measured there. NAN if no
 * chain of measured comparisons leads to it. */
double attempt_speedup(const struct attempt *a);
/* Has it a measurement that is usable? */
bool attempt_is_measured(const struct attempt *a);
bool attempt_passes(const struct attempt *a);
/* Does this measurement take its crown, and its place in its lineage? Where it
 * had one of them and passed, and fails by its own fault on the kind of machine
 * on which it passed. */
bool attempt_is_refuted(const struct attempt *a, const struct measurement *m);
/* Did what a person wrote on the base to begin the run with fail, and does nothing
 * else pass but the base? */
bool population_start_failed(const struct population *p);
/* The oldest attempt, of those from this index on, whose measurement is missing
 * (its process was killed) or not usable; NULL if there is none. */
struct attempt *population_in_flight(const struct population *p, size_t from);
/* The lineages that get a branch: those whose tip is neither their root nor an
 * ancestor of the champion; best first, at most `max`. Returns how many. */
size_t population_live(const struct population *p, size_t *lineage_index,
		       size_t max);

/* What each role's talks took, of p->spend; the writer's is what is not in
 * another's. Returns how many roles took something. */
size_t population_role_spend(struct spend out[ROLE_COUNT],
			     const struct population *p);

DEFINE_RELEASE(population, struct population, population_release)
#define cleanup_population CLEANUP(population)

#endif
