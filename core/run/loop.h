/*
 * What the parts of the evolution loop share: evolve.c (the algorithm), vary.c
 * (a step of the operator), measure.c (measures an attempt, places it, perhaps
 * crowns it), rival.c (a rival fails), allowance.c (the part of the budget that
 * others may use), agents.c (several operators at once), turn.c (several
 * processes), final.c (the last
 * comparisons) and ending.c (why a run stops). Only these files include it.
 */
#ifndef CORE_RUN_LOOP_H
#define CORE_RUN_LOOP_H

#include "core/run/dead_end.h"
#include "core/run/evolve.h"
#include "core/run/islands.h"
#include "core/run/saved_step.h"
#include "core/run/time_limit.h"

struct agents;

struct loop {
	struct allowance allowance; /* first: callbacks cast it back */
	struct evolve *e;
	struct agents *agents; /* at work on the run; NULL: one operator */
	struct population *p;
	struct random random;
	char machine[IDENTITY_HEX_LEN + 1]; /* the kind of this one */
	double began;		 /* clock_run_seconds() of this call */
	struct time_limit limit; /* of this call, from then on */
	double until;  /* comparisons end then; HUGE_VAL: when they are done */
	double before; /* seconds spent by earlier calls */
	int64_t attempts;	   /* made in this call */
	struct spend unrecorded;   /* goes into the next entry */
	unsigned turns;		   /* taken and not given: turn.c */
	bool begun;		   /* the journal has the start of this call */
	struct variation *varying; /* the step at work; NULL: none */
	struct saved_step saved;   /* to go on with; else all zero */
	struct dead_ends dead_ends;
	struct strvec finals; /* who was in a final of this call, by id */
	unsigned idle;	      /* steps in a row without a result */
	unsigned failed;      /* how many of these were the operator's fault */
	char *ended;	      /* why no step can give more; NULL: one can */
	bool ended_badly;     /* by the operator's fault */
};

/* Makes the first member of a loop. */
struct allowance loop_allowance(const struct evolve *e);
void loop_release(struct loop *l);
DEFINE_RELEASE(loop, struct loop, loop_release)

void loop_tell(struct loop *l, enum evolve_event event, const struct attempt *a,
	       const char *text);
/* Seconds of work since the start of the run, one process after another; if two
 * machines worked on it at the same time, the longer time counts. */
double loop_spent(const struct loop *l);
/* Applies the entry to the population and appends it to the journal. The
 * population changes only through entries, so a process that reads the run
 * later gets the same state. */
struct error *loop_record(struct loop *l, struct entry *e) MUST_CHECK;

/* Where other processes extend the run, too (archive.take_turn): waits for the
 * turn of this one, after which the population has what they wrote. Else
 * nothing. May be nested. ERROR_INTERRUPTED if the run, or the call at work, is to stop. */
struct error *loop_take_turn(struct loop *l) MUST_CHECK;
void loop_give_turn(struct loop *l);
bool loop_is_shared(const struct loop *l);
/* Another machine measures this candidate in the middle of a step: the others
 * may have their turns meanwhile, and leave the candidate alone. True: they do,
 * and loop_end_lending follows. */
bool loop_lend_turn(struct loop *l, const char *id);
/* Takes the turn again. `err`, which may be NULL, is how measuring ended, and is
 * returned before an error of this. */
struct error *loop_end_lending(struct loop *l, const char *id,
			       struct error *err) MUST_CHECK;

/* Lets the operator choose what it will try first on the tip of the lineage
 * while that tip is measured, so that it is built in the meantime. */
void loop_look_ahead(struct loop *l, const struct lineage *lineage);
/* Reads the step that an earlier process had in the middle, and takes what it
 * had spent. Before the start is recorded. */
struct error *loop_load_step(struct loop *l) MUST_CHECK;
/* Goes on with that step; *resumed: there was one. */
struct error *loop_resume_step(bool *resumed, struct loop *l) MUST_CHECK;
/* Lets the operator vary the tip of the lineage, and scores the results. */
struct error *loop_vary(struct loop *l,
			const struct lineage *lineage) MUST_CHECK;
/* If the run stalls, begins a lineage with another direction, in this island. */
struct error *loop_supervise(struct loop *l, struct island at) MUST_CHECK;
/* Begins islands that are missing, and lets champions migrate that are due. */
struct error *loop_migrate(struct loop *l) MUST_CHECK;

/* The run is at rest (variation.h), or is not any more. */
void loop_at_rest(struct loop *l, bool begins);

/* ---- rival.c: an attempt that is a candidate's rival may fail ---------- */

#define RIVALS_MOST 2

/* The rivals of one scoring: attempts of the run. All zeros: no rivals. */
struct rivals {
	struct rival_request request[RIVALS_MOST];
	struct candidate candidate[RIVALS_MOST];
	size_t attempt[RIVALS_MOST]; /* index */
	size_t n, n_loaded;
};
struct error *rivals_add(struct rivals *r, struct loop *l, enum rival kind,
			 size_t attempt) MUST_CHECK;

/* Says what is to be scored, and against which rivals at this moment: fills
 * *request except its rivals, which go into *rivals. */
typedef struct error *loop_ask(struct loop *l, struct score_request *request,
			       struct rivals *rivals, void *arg);
/* Scores what `ask` asks for. If a rival fails, the rival is scored by itself,
 * which may cost it its crown; then `ask` is called again. If rivals keep
 * failing but pass by themselves, the last try is without rivals. */
struct error *loop_score(struct loop *l, struct measurement **out,
			 loop_ask *ask, void *arg) MUST_CHECK;
/* An error if the attempt that the run goes on from is known to fail. */
struct error *loop_check_start(const struct loop *l) MUST_CHECK;

/* Measures the attempt `id`, unless there is a measurement that can be used. */
struct error *loop_measure(struct loop *l, const char *id) MUST_CHECK;
/* If two machines crowned different attempts, compares the one that was crowned
 * first with the champion. It wins the crown back if it is faster and that is
 * confirmed; otherwise the question is settled too and is not asked again. */
struct error *loop_compare_crowns(struct loop *l) MUST_CHECK;
/* Compares an attempt with the champion once more, patiently: it may win the
 * crown. The champion is compared with the start and the baselines, the start
 * with the baselines. `final`: the measurement says so. */
struct error *loop_measure_again(struct loop *l, size_t attempt,
				 bool final) MUST_CHECK;
/* final.c: measures the best undecided attempts again; *crowned: one of them
 * became champion. What its share of the time leaves no room for is said. */
struct error *loop_final(struct loop *l, bool *crowned) MUST_CHECK;
/* Does that, or comparing the champion, have anything to do for which the share
 * of a limited time has room? */
bool loop_has_last_measurements(const struct loop *l);
/* Compares the champion with the start and the baselines, if not done yet:
 * people ask for these first, and a chain of ratios is less exact. */
struct error *loop_measure_champion(struct loop *l) MUST_CHECK;
bool loop_champion_is_measured(const struct loop *l);

/* Does so if no comparisons of this kind of machine lead from the champion to
 * the start, so that those with the champion say how fast an attempt is here. */
struct error *loop_place_champion(struct loop *l) MUST_CHECK;

/* Notes how a step from this attempt ended, and decides whether anything is
 * left to try. Takes `because`, which may be NULL. */
void loop_step_ended(struct loop *l, enum varied varied, size_t parent,
		     char *because);
/* The final found a new champion, from which the operator may have more to
 * try: what ended the run is forgotten, unless it was a failure. */
bool loop_goes_on(struct loop *l);
/* Every lineage has come to a dead end. */
void loop_nothing_left(struct loop *l);
/* Why no step can give more; takes `why`. NULL: one can. */
void loop_end(struct loop *l, char *why);
bool loop_asked_to_stop(const struct loop *l);
/* Is all of the time of this call over? */
bool loop_time_is_up(const struct loop *l);
/* Why the run stops now (stop_words of core/run/spend.h, or a sentence); NULL:
 * it goes on. */
const char *loop_why_stop(const struct loop *l);
/* Records the stop in the journal and reports it. */
struct error *loop_stop(struct loop *l, const char *reason) MUST_CHECK;
/* The same for an error that ends the run, if the journal can still be written:
 * without it, readers would think that the process was killed. */
void loop_stop_on_error(struct loop *l, const struct error *err);

#endif
