/*
 * Holding what a launch left against the reference: which rows are looked at,
 * drawn after the launch, and a finding in words. How much is looked at depends
 * on what it costs; whether there is a look is decided by a coin where one
 * costs more than its share. What is checked at any cost: kept_launches.h.
 */
#ifndef SCORER_CONTEST_CHECK_H
#define SCORER_CONTEST_CHECK_H

#include "scorer/host/context.h"

/* What the reference costs for one case; all zero: not known yet. */
struct reference_cost {
	double row, whole; /* seconds */
};

/* Shall the reference be asked, where that is meant to cost `budget` seconds?
 * Where a tile of rows (all of them, where the reference cannot do rows) costs
 * more, the chance is budget / cost, so that it costs no more on the average. */
bool check_draw(struct scoring *sc, const struct layout *l,
		const struct reference_cost *cost, double budget);
/* Computes the reference for rows of image `index` worth about `budget`
 * seconds, a tile at least (all of it where the reference cannot do rows), and
 * for the rows `also`, if there are any. */
struct error *check_reference(struct scoring *sc, const struct input_set *s,
			      struct reference_cost *cost, uint32_t index,
			      double budget,
			      const struct segment *also) MUST_CHECK;
/* The same for image 0 of a launch that is looked at once, however little is
 * known of the cost: it is found out first, on few rows. All rows, where `budget`
 * suffices. */
struct error *check_reference_first(struct scoring *sc,
				    const struct input_set *s,
				    struct reference_cost *cost,
				    double budget) MUST_CHECK;
/* These rows and no others; all, where the reference cannot do rows. */
void check_select_only(struct selection *what, const struct task *t,
		       const struct layout *l, const struct segment *rows);
/* Rows that make up a tile of the shortest output. */
int64_t check_tile_rows(const struct layout *l);
/* One more segment, if it is one of these rows. */
void check_select_also(struct selection *what, struct scoring *sc,
		       const struct layout *l, const struct segment *also);
/* Compares a copy with it (`values` false: guards and poison alone). *worst
 * is raised to the error over what is allowed. */
struct error *check_outputs(struct score_outcome *o, double *worst,
			    struct scoring *sc, const struct input_set *s,
			    const struct buffers *b, uint32_t index,
			    bool values, const char *case_name) MUST_CHECK;
/* Turns an answer of the judge into an outcome; as check_outputs. */
void check_tell(struct score_outcome *o, double *worst, const struct task *t,
		const struct input_set *s, const struct judge_answer *a,
		const char *case_name);
/* Rows for a lint or a first look: a few, or everything. */
void check_select(struct selection *out, struct scoring *sc,
		  const struct layout *l, int64_t rows);

#endif
