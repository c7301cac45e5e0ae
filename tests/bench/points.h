/*
 * A kernel of C and its tunables, without git and without the scorer: points are
 * compiled into a folder, which keeps them, checked against the task's reference
 * and timed. For benches that try many points of one space.
 */
#ifndef BENCH_POINTS_H
#define BENCH_POINTS_H

#include "agent/tuner/tunables.h"
#include "core/base/error.h"

struct points_case;

struct points {
	struct task *task;
	struct fileset sources;
	struct tunables space;
	char *folder;		   /* of the objects */
	struct points_case *cases; /* of the task: inputs, what is right */
};

/* Reads KERNEL.c and the task's reference, both beside the task file, and
 * computes what is right. Tensors are f32, all other arguments i32. The folder is
 * made. points_release disposes. */
struct error *points_open(struct points *p, const char *task,
			  const char *folder) MUST_CHECK;
/* "0-3-1-4-4", as its object is called; free() disposes. */
char *points_name(const struct points *p, const size_t *point) MUST_CHECK;
/* Compiles the point, unless the folder has it. */
struct error *points_compile(const struct points *p,
			     const size_t *point) MUST_CHECK;
/* Seconds of one launch: the median of some, the geometric mean of the cases;
 * NAN if it is wrong or crashes. */
double points_time(const struct points *p, const size_t *point);
void points_release(struct points *p);

DEFINE_RELEASE(points, struct points, points_release)
#define cleanup_points CLEANUP(points)

#endif
