/*
 * Walking the elements of a tensor: a run is a stretch of elements a fixed
 * step apart, in row-major order of the tensor; contiguous dimensions join
 * into one.
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
	int64_t rows; /* of the first dimension, where it is walked */
	int64_t index[TASK_MAX_DIMS];
	int64_t base, first;
	bool done;
};

/* Elements of one row of the first dimension (all, where there is none). */
int64_t tensor_row_elements(const struct tensor_layout *t);
/* Rows of the first dimension; 1 where there is none. */
int64_t tensor_rows(const struct tensor_layout *t);
/* Walks rows [begin, end). */
void element_runs_start(struct element_runs *w, const struct tensor_layout *t,
			int64_t begin, int64_t end);
bool element_runs_next(struct element_runs *w, struct element_run *out);

/* Copies elements of rows [begin, end) from an array laid out like the
 * tensor, but of type `from`, into doubles; returns how many. */
int64_t tensor_gather(double *out, const struct tensor_layout *t,
		      enum dtype from, const void *array, int64_t begin,
		      int64_t end);

#endif
