/*
 * Walks the elements of a tensor in row-major order. A run is a sequence of
 * elements at a fixed step; contiguous dimensions join into one run.
 */
#ifndef RUNNER_ELEMENT_RUNS_H
#define RUNNER_ELEMENT_RUNS_H

#include "core/task/layout.h"

struct element_run {
	int64_t at;    /* elements from element 0 of the tensor */
	int64_t first; /* row-major index of its first element */
	int64_t n;
	int64_t step;
};

struct element_runs {
	const struct tensor_layout *tensor;
	size_t outer; /* dimensions that are walked one by one */
	int64_t n, step;
	int64_t rows; /* of the first dimension, if it is walked */
	int64_t index[TASK_MAX_DIMS];
	int64_t base, first;
	bool done;
};

/* Elements of one row of the first dimension (all, if there is none). */
int64_t tensor_row_elements(const struct tensor_layout *t);
/* Rows of the first dimension; 1 if there is none. */
int64_t tensor_rows(const struct tensor_layout *t);
/* Rows of a part of work on all of a tensor (parts.h). */
int64_t tensor_part_rows(const struct tensor_layout *t);
/* Begins to walk rows [begin, end). element_runs_next returns the next run, and
 * false after the last. */
void element_runs_start(struct element_runs *w, const struct tensor_layout *t,
			int64_t begin, int64_t end);
bool element_runs_next(struct element_runs *w, struct element_run *out);

/* Copies elements of rows [begin, end) from an array laid out like the
 * tensor, but of type `from`, into doubles; returns how many. By several threads
 * (parts.h). */
int64_t tensor_gather(double *out, const struct tensor_layout *t,
		      enum dtype from, const void *array, int64_t begin,
		      int64_t end);

#endif
