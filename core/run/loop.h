/*
 * What the parts of the evolution loop share: evolve.c (the algorithm), vary.c
 * (a step of the operator), measure.c (an attempt gets its measurement, its
 * place, perhaps the crown), rival.c (what it is held against fails), allowance.c (what others may take of the budget)
 * and ending.c (why it stops).
 * Nobody else includes it.
 */
#ifndef CORE_RUN_LOOP_H
#define CORE_RUN_LOOP_H

#include "core/run/barren.h"
#include "core/run/evolve.h"

struct loop {
	struct allowance allowance; /* first: cast back */
	struct evolve *e;
	struct population *p;
	struct random random;
	double began;		 /* clock_seconds() of this call */
	double before;		 /* seconds spent by earlier calls */
	int64_t attempts;	 /* made in this call */
	struct spend unrecorded; /* goes into the next entry */
	bool begun;		 /* the journal has the start of this call */
	struct barren barren;
	unsigned idle;	  /* steps in a row that nothing came of */
	unsigned failed;  /* of those, by a fault of the operator */
	char *ended;	  /* why nothing more comes of it; NULL: it may */
	bool ended_badly; /* by the operator's fault */
};

/* For the first member. */
struct allowance loop_allowance(const struct evolve *e);
void loop_release(struct loop *l);
DEFINE_RELEASE(loop, struct loop, loop_release)

void loop_tell(struct loop *l, enum evolve_event event, const struct attempt *a,
	       const char *text);
/* Seconds of work since the start of the run, one process after the other; of
 * two machines that worked on it at once the longer counts. */
double loop_spent(const struct loop *l);
/* Applies the entry to the population and appends it to the journal: the
 * journal is the state, so what a later process will do when it reads the
 * run is done here the same way. */
struct error *loop_record(struct loop *l, struct entry *e) MUST_CHECK;

/* Lets the operator say what it will try first on the tip of the lineage, which
 * is not measured yet, so that it is built meanwhile. */
void loop_look_ahead(struct loop *l, const struct lineage *lineage);
/* Lets the operator vary the tip of the lineage, and scores what comes. */
struct error *loop_vary(struct loop *l,
			const struct lineage *lineage) MUST_CHECK;
/* Where the run stalls, another direction. */
struct error *loop_supervise(struct loop *l) MUST_CHECK;

/* ---- rival.c: one of the run that a candidate is held against may fail ----- */

#define RIVALS_MOST 2

/* Of one scoring: attempts of the run. Zeros are none. */
struct rivals {
	struct rival_request request[RIVALS_MOST];
	struct candidate candidate[RIVALS_MOST];
	size_t attempt[RIVALS_MOST]; /* index */
	size_t n, n_loaded;
};
struct error *rivals_add(struct rivals *r, struct loop *l, enum rival kind,
			 size_t attempt) MUST_CHECK;

/* What is to be scored, against whom as things are now: all of *request but its
 * rivals, which go into *rivals. */
typedef struct error *loop_ask(struct loop *l, struct score_request *request,
			       struct rivals *rivals, void *arg);
/* Scores what `ask` asks for. A rival that fails is scored by itself, which may
 * cost it its crown; then it is asked again, and where a rival fails that passes
 * by itself, in the end without rivals. */
struct error *loop_score(struct loop *l, struct measurement **out,
			 loop_ask *ask, void *arg) MUST_CHECK;
/* What a run goes on from must be right itself: an error where it is known not
 * to be. */
struct error *loop_check_start(const struct loop *l) MUST_CHECK;

/* Measures the attempt `id`, unless a measurement that serves exists. */
struct error *loop_measure(struct loop *l, const char *id) MUST_CHECK;
/* Where two machines crowned apart: the one whose crown came first against the
 * champion. It wins the crown back if it is told faster twice; either way the
 * two have met, and nobody asks again. */
struct error *loop_settle_crowns(struct loop *l) MUST_CHECK;
/* The champion against the start and the baselines, if not done yet: what
 * people ask first, and no chain of ratios answers as well. */
struct error *loop_measure_champion(struct loop *l) MUST_CHECK;

/* What came of a step from this attempt: is there anything left to do? Takes
 * `because`, which may be NULL. */
void loop_step_ended(struct loop *l, enum varied varied, size_t parent,
		     char *because);
/* No lineage is left that anything can be made of. */
void loop_nothing_left(struct loop *l);
bool loop_asked_to_stop(const struct loop *l);
/* Why it stops now (stop_words of core/run/spend.h, or a sentence); NULL: it
 * goes on. */
const char *loop_why_stop(const struct loop *l);
/* Into the journal, and said. */
struct error *loop_stop(struct loop *l, const char *reason) MUST_CHECK;
/* The same of an error that ends the run, as far as the journal can still be
 * written: nobody shall take the process for dead. */
void loop_stop_on_error(struct loop *l, const struct error *err);

#endif
