/*
 * How many work-groups a candidate launches: its own choice, so it stands in its
 * source, in comments of this form,
 *     // avogit-launch: groups=(ceil_div(rows, ROWS), columns / 64)
 *     // avogit-launch: second_kernel groups=(1)
 * one for each kernel, in the order in which they are launched. One to three numbers;
 * core/task/expr.h is the grammar. Symbols are the integer arguments of the task, and
 * macros of the source that are a whole number (`#define ROWS 4`).
 */
#ifndef RUNNERS_GEOMETRY_H
#define RUNNERS_GEOMETRY_H

#include "core/task/expr.h"

/* The launches of one source. */
struct geometry {
	struct geometry_line {
		char *kernel; /* "": the line names none */
		struct expr *groups[3];
		size_t n; /* of groups */
	} * line;
	size_t n, cap;
	struct symbols macros; /* the last value of each name counts */
	size_t macros_cap;
};

/* Adds the lines and macros of a source; `path` is for messages. */
struct error *geometry_read(struct geometry *g, const char *source,
			    const char *path) MUST_CHECK;
/* What the line does not give is 1. A number below 1 is an error. */
struct error *geometry_groups(uint32_t groups[3], const struct geometry *g,
			      size_t line,
			      const struct symbols *values) MUST_CHECK;
void geometry_release(struct geometry *g);

#endif
