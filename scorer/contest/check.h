/*
 * Compares the outputs of a launch with the reference: draws the rows to check
 * after the launch, and puts a finding into words. The number of rows depends
 * on their cost; if even one tile costs more than its share, it is checked with
 * a probability. Launches that are always checked: kept_launches.h.
 */
#ifndef SCORER_CONTEST_CHECK_H
#define SCORER_CONTEST_CHECK_H

#include "scorer/host/context.h"

/* Seconds of the reference for one case: a row, all rows. 0: not known yet. */
struct reference_cost {
	double row, whole;
};

/* Decides whether to compute the reference for about `budget` seconds. If a
 * tile of rows (all rows, if the reference cannot do rows) costs more, the
 * probability is budget / cost, so that the mean cost is `budget`. */
bool check_draw(struct scoring *sc, const struct layout *l,
		const struct reference_cost *cost, double budget);
/* The number of rows that cost `budget` seconds, 1 at least; 1 if the cost is not
 * known. */
int64_t check_rows_worth(const struct reference_cost *cost, double budget);
/* Computes the reference for rows of image `index` that cost about `budget`
 * seconds, at least a tile (all rows, if the reference cannot do rows), and for
 * the rows `also` (may be NULL). */
struct error *check_reference(struct scoring *sc, const struct input_set *s,
			      struct reference_cost *cost, uint32_t index,
			      double budget,
			      const struct segment *also) MUST_CHECK;
/* The same for image 0 of a launch that is checked only now: measures the cost
 * on few rows first. Computes all rows if `budget` suffices. */
struct error *check_reference_first(struct scoring *sc,
				    const struct input_set *s,
				    struct reference_cost *cost,
				    double budget) MUST_CHECK;
/* Of a case in which a candidate failed: is the reference at fault there, too? Then
 * what failed says nothing of the candidate, and this is an error of the task. */
struct error *check_reference_again(struct scoring *sc,
				    const struct input_set *s,
				    struct reference_cost *cost,
				    double budget) MUST_CHECK;
/* Adds to an error of the reference's which case it was, and what the inputs were. Takes
 * `err`. */
struct error *check_tell_failure(struct error *err, const struct input_set *s,
				 const struct task *t) MUST_CHECK;
/* Selects only these rows; all, if the reference cannot do rows. */
void check_select_only(struct selection *what, const struct task *t,
		       const struct layout *l, const struct segment *rows);
/* The number of rows in a tile of the shortest output. */
int64_t check_tile_rows(const struct layout *l);
/* Adds one more segment if it has rows and not all rows are selected already;
 * in a full list it replaces another. */
void check_select_also(struct selection *what, struct scoring *sc,
		       const struct layout *l, const struct segment *also);
/* Compares a copy with the reference (`values` false: only guards and poison).
 * Raises *worst to the error divided by the allowed one. */
struct error *check_outputs(struct score_outcome *o, double *worst,
			    struct scoring *sc, const struct input_set *s,
			    const struct buffers *b, uint32_t index,
			    bool values, const char *case_name) MUST_CHECK;
/* Turns an answer of the judge into an outcome; as check_outputs. */
void check_tell(struct score_outcome *o, double *worst, const struct task *t,
		const struct input_set *s, const struct judge_answer *a,
		const char *case_name);
/* Selects about `rows` rows in tiles, at random and at the end; all rows if
 * there are no more, or if the reference cannot do rows. */
void check_select(struct selection *out, struct scoring *sc,
		  const struct layout *l, int64_t rows);

#endif
