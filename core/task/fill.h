/* Kinds of contents. Includes nothing: a GPU's kernels include it too. */
#ifndef CORE_TASK_FILL_H
#define CORE_TASK_FILL_H

/* The contents of an input; scorer/runner/contents.h has the figures. A row
 * runs along the last dimension. */
enum fill {
	FILL_MIXED,	 /* the default for floats: one of the others, drawn */
	FILL_NORMAL,	 /* mean 0, deviation 1 */
	FILL_UNIFORM,	 /* [0, 1) */
	FILL_LARGE,	 /* normal, times 1e4 or as far as the type allows */
	FILL_TINY,	 /* normal, times 1e-4 */
	FILL_SMALL_INTS, /* integers in [-4, 4]: sums are exact */
	FILL_SPARSE,	 /* normal, but nine of ten are zero */
	FILL_RANGE,	 /* integers in [low, high], expressions */
	FILL_GENERATOR,	 /* the task's own C function */
	FILL_OUTLIERS,	 /* normal, but one of 256 is a hundred times larger */
	FILL_SHIFTED,	 /* far from zero, and close to each other */
	FILL_BY_ROW,	 /* each row of a different kind */
	FILL_STRAY_ROWS, /* normal, but one row of 32 is of another kind */
	/* What a launch may have in place of FILL_RANGE; no task says them. */
	FILL_ALL_HIGH,
	FILL_ALL_LOW,
	FILL_MOSTLY_HIGH, /* but one of 16 is anything in the range */
	FILL_MOSTLY_LOW,
	FILL_ENDS,	/* low or high */
	FILL_ENDS_ROWS, /* each row one of the last three, or anything */
	FILL_COUNT
};

#endif
