/*
 * A source of C, C++ or CUDA that holds several points and takes one of them by
 * the shape: the text of each, its names told apart, and a function of the
 * entry's name that compares what it is handed (split.h).
 */
#ifndef CMD_DISPATCH_DISPATCH_H
#define CMD_DISPATCH_DISPATCH_H

#include "cmd/session/points.h"
#include "cmd/session/session.h"

struct dispatch {
	char *path;	 /* of the source, from the top of the repository */
	struct buf text; /* what it is to hold */
	struct buf rule; /* for people: "n <= 5792: #2, else #1" */
	/* The points it holds: fewer than were asked for where one more brings
	 * little, or cannot stand beside the first. */
	struct points points;
	/* Which of them the rule takes in each case. */
	size_t *of_case;
};

/* Chooses at most `most` attempts, as points_choose does, of those that can
 * stand in one file: the task has one source file, and it chooses the same
 * flags in each. `p` has the times of all attempts. ERROR_REFUSED, with the
 * reason, if there are no two, or if it cannot be done for the task. */
struct error *dispatch_make(struct dispatch *out, struct session *s,
			    const struct population *p, size_t most) MUST_CHECK;
void dispatch_release(struct dispatch *d);

DEFINE_RELEASE(dispatch, struct dispatch, dispatch_release)
#define cleanup_dispatch CLEANUP(dispatch)

#endif
