/*
 * Inside the evaluator: one scoring. Callers use scorer.h.
 */
#ifndef SCORER_SCORING_H
#define SCORER_SCORING_H

#include "scorer/contest/contest.h"
#include "scorer/host/context.h"

/* ---- scoring_card.c: the judge, and what the card can do ------------------ */

/* Starts the judge, if it is not there yet. */
struct error *scorer_need_judge(struct scorer *s) MUST_CHECK;
/* What the card can do, once: as it is kept, else measured shortly and kept.
 * Where it cannot be measured the user is told, and nothing depends on it. */
struct error *scorer_need_ceilings(struct scorer *s) MUST_CHECK;
/* What comes before the first scoring on the card, and takes seconds where nothing
 * has it open: its ceilings, the judge, and spare processes. Nothing where another
 * program times something on it. */
struct error *scorer_get_ready(struct scorer *s) MUST_CHECK;
/* Passes err on; after an error the judge may be in any state, so it goes. */
struct error *scorer_drop_judge(struct scorer *s, struct error *err) MUST_CHECK;
/* The share of the card that a case got; a failure where no card has so much.
 * Nothing where the card is not known. */
struct error *score_against_card(struct measurement *m, struct case_result *r,
				 const struct scorer *s,
				 const struct task_case *tc) MUST_CHECK;

/* ---- task_check.c: can the task tell right from wrong? ---------------------- */

/* Reads what is kept of the task as its files are. */
void scorer_recall_task(struct scorer *s);
/* What scorer_check_task promises: ERROR_TASK where it cannot. */
struct error *scorer_look_at_task(struct scorer *s) MUST_CHECK;

/* ---- scoring_contenders.c -------------------------------------------------- */

/* What one scoring compares: the candidate, then rivals, then baselines. */
struct contenders {
	struct scorer *scorer;
	const struct score_request *request;
	struct build candidate;
	struct build *rival;   /* one a rival; owned */
	struct contest *ahead; /* with plans, not yet run; owned; or NULL */
	double *case_error;    /* one a case; owned */
	struct reference_cost *cost;
	size_t n_baselines;
	size_t baseline_failures; /* that were taken for the machine's */
	bool rival_failed;	  /* the request's rival_failure says which */
};

/* What a comparison that begins now may take at most. */
double contenders_seconds(const struct contenders *f);
void contenders_init(struct contenders *f, struct scorer *s,
		     const struct score_request *r);
/* Builds each rival once; *all: they build. */
struct error *contenders_build_each(bool *all, struct contenders *f) MUST_CHECK;
/* NULL as well where a rival does not build: rival_failed. */
struct error *contenders_build_rivals(struct contenders *f) MUST_CHECK;
/* This rival cannot be compared with: reported to the caller if the request asks
 * for that, else an error. */
struct error *contenders_drop_rival(struct contenders *f, size_t rival,
				    enum verdict v, const char *why) MUST_CHECK;
/* Contenders: the candidate, the first `n_rivals` rivals, the first
 * `n_baselines` baselines. */
struct contest *contenders_contest(struct contenders *f, size_t n_rivals,
				   size_t n_baselines) MUST_CHECK;
void contenders_release(struct contenders *f);
DEFINE_RELEASE(contenders, struct contenders, contenders_release)
#define cleanup_contenders CLEANUP(contenders)

/* A contest failed for another than the candidate. *o is well
 * again; where none is at fault yet (f->rival_failed is false) the contest is
 * to be made again: the task's own code may have met a fault of the machine, and
 * what was replayed is called from now on. */
struct error *score_rival_failed(struct score_outcome *o, struct contenders *f,
				 const struct contest *c) MUST_CHECK;

/* ---- scoring_gain.c -------------------------------------------------------- */

/* A contest for a search ends early where there is little to gain. */
void score_hurry(struct comparison_design *d, const struct score_request *r);
/* The first contest of a search needs no A/A: it is the confirmation
 * that has a twin, where there is one. */
bool score_twin_waits(const struct score_request *r);
/* How the candidate did against each other contender, as far as it is decided. */
void score_comparisons(struct measurement *m, const struct contenders *f,
		       const struct contest *c);
/* Faster than the first rival: the same again with fresh processes and a
 * fresh seed. The second decision is the one that is kept; a third and fourth
 * are only asked for where the machine was at fault; of a `patient` request up to
 * eight, of which all together may confirm it. No gain (log ratio) up to
 * `floor` is believed, nor one up to what the confirmations' own A/A says. */
struct error *score_confirm(struct score_outcome *o, struct measurement *m,
			    struct contenders *f, double floor) MUST_CHECK;

/* Is it too late to confirm a gain? Then the measurement says so. */
bool score_is_late(struct measurement *m, const struct score_request *r);

/* ---- scoring_figures.c ----------------------------------------------------- */

/* Median seconds and the rate of every case; the headline; what of a launch is
 * not the kernel's, and whether a rate says little. */
struct error *score_cases(struct measurement *m, struct contenders *f,
			  const struct contest *c) MUST_CHECK;
/* Sets a setting to a whole number and its unit, which may be empty. */
void score_set_number(struct measurement *m, const char *key, double v,
		      const char *unit);
/* "library.fa3=...": what else of the machine a baseline is. */
void score_libraries(struct measurement *m, const struct contenders *f);
/* Machine, compiler, sandbox: what the figures depend on. */
void score_environment(struct measurement *m, const struct scorer *s,
		       const struct build *b);
/* ---- scoring_doubt.c ------------------------------------------------------- */

/* A case that was timed: what the task says there is to do in a launch (bytes if the
 * measurement's rate_is_bytes), the 95 % interval of the kernel's own seconds, and how
 * many times that is of. */
struct timed_case {
	double work;
	struct interval own;
	size_t times;
};
/* Sets DOUBT_KEY to a sentence with its remedy where a rate says little of the
 * kernel: it returned before the end of its inputs, its time does not grow with
 * them, or a launch is mostly not the kernel. One of `timed` for each case of m. */
void score_doubt(struct measurement *m, const struct task *t,
		 const struct timed_case *timed);

/* ---- scoring.c ------------------------------------------------------------- */

/* CUDA: how many spare processes it takes: a capturer and a launcher
 * each of the candidate and its rivals, the candidate's launcher of the first
 * phase, and a twin. */
size_t score_spares(const struct score_request *r);
/* Both phases on a candidate that builds; the verdict goes into m. */
struct error *score_built(struct measurement *m,
			  struct contenders *f) MUST_CHECK;
/* scoring_reported.c: of a task whose command reports scores, a candidate that
 * builds; the verdict goes into m. */
struct error *reported_score(struct measurement *m,
			     struct contenders *f) MUST_CHECK;

#endif
