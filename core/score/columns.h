/*
 * The figures of cases and of kernels as people and models are shown them: the
 * columns of a table, and phrases. Which there are, their titles and their order
 * follow from the tables in measurement_fields.c.
 */
#ifndef CORE_SCORE_COLUMNS_H
#define CORE_SCORE_COLUMNS_H

#include "core/score/field.h"
#include "core/score/measurement.h"

/* The kinds of records of which a measurement has several. */
enum record { RECORD_CASE, RECORD_COMPARISON, RECORD_KERNEL, RECORD_COUNT };

#define COLUMNS_MAX 16

/* The columns of these records in order, without optional ones that are empty.
 * Returns their number. The fields are constants. */
size_t columns_of(const struct field *out[COLUMNS_MAX],
		  const struct measurement *m, enum record r);
/* Adds the cell of record i: "1.23 ms", or "-" without that figure. */
enum emphasis column_cell(struct buf *out, const struct field *column,
			  const struct measurement *m, enum record r, size_t i);
/* Adds the phrases for the figures that record i has: "12 us, error 0.5 of what
 * is allowed". */
void columns_add_phrases(struct buf *out, const struct measurement *m,
			 enum record r, size_t i);

#endif
