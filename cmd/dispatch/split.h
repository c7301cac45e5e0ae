/*
 * Which point a launch takes, by the values that the function is handed: a tree
 * of comparisons, as few as lose one hundredth in the mean against each case's
 * fastest point. Breiman et al. 1984 (such trees, grown by
 * what each comparison gains); Vuduc, Demmel and Bilmes 2004 (the choice among
 * tuned variants at run time, learned from measurements).
 */
#ifndef CMD_DISPATCH_SPLIT_H
#define CMD_DISPATCH_SPLIT_H

#include "core/base/base.h"

/* What is known: n_cases cases with n_values values each. */
struct split_table {
	size_t n_cases, n_values, n_points;
	const int64_t *value;  /* by case, then by value */
	const double *seconds; /* by case, then by point */
	const double *weight;  /* by case */
};

struct split {
	size_t value;	     /* the one that is compared */
	int64_t most;	     /* up to this the launch is of `below` */
	size_t below, above; /* indices of nodes */
	bool is_leaf;
	size_t point; /* of a leaf */
};

/* Node 0 is the root. free() disposes. */
struct split *split_make(size_t *n, const struct split_table *t) MUST_CHECK;
/* The point that these values lead to. */
size_t split_point(const struct split *tree, const int64_t *value);

#endif
