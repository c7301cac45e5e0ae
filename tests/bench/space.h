/*
 * A recorded tuning space: the seconds of every allowed point, read from a
 * file, plain or gzipped. A line "# values 3 6+ 4+" says how many values each
 * dimension has, + where they are ordered; then a line a point: the index of
 * each dimension's value, and the seconds of some rounds; "nan" failed.
 */
#ifndef BENCH_SPACE_H
#define BENCH_SPACE_H

#include "agent/tuner/search.h"
#include "core/base/error.h"

#define SPACE_DIMS 16

struct space {
	char *name; /* of the file, without folder, "hub-" and suffix */
	size_t dims, values[SPACE_DIMS];
	bool ordered[SPACE_DIMS];
	size_t cells;
	double *seconds; /* by cell: 0 not allowed, NAN failed */
	size_t *allowed; /* cells */
	size_t n;	 /* allowed */
	double *sorted;	 /* seconds of those that ran, ascending */
	size_t n_ran;
};

/* ERROR_TASK for a file that is not one. space_release disposes. */
struct error *space_read(struct space *s, const char *path) MUST_CHECK;
/* The point of a cell. */
void space_point(const struct space *s, size_t cell, size_t *point);
/* Seconds at the point: 0 not allowed, NAN failed. */
double space_seconds(const struct space *s, const size_t *point);
/* For the search; borrows s. */
struct search_space space_for_search(const struct space *s);
/* The expected least seconds of k >= 1 different points drawn at random from all
 * allowed ones. A failed one counts as the slowest that ran. */
double space_expect_least(const struct space *s, size_t k);
void space_release(struct space *s);

DEFINE_RELEASE(space, struct space, space_release)
#define cleanup_space CLEANUP(space)

#endif
