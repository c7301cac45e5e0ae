/*
 * Large work of the judge in parts, by several threads. What the parts are
 * depends on the work alone and never on the number of threads, and who asks
 * puts their results together in order: so these are the same to the bit.
 */
#ifndef RUNNER_PARTS_H
#define RUNNER_PARTS_H

#include "core/base/base.h"

/* Elements of a part: some hundredths of a millisecond, no less than it takes to
 * wake a thread. */
#define PART_ELEMENTS ((int64_t)1 << 15)

#define PARTS_MAX_THREADS 8

/* So many threads work from now on, the caller's included (1 before; at most
 * PARTS_MAX_THREADS). They are started when they are first of use; where the
 * system gives fewer, those do it. Not while parts_run runs. */
void parts_threads(unsigned n);
/* Calls work(arg, i) once for each part i below n, and returns when all have
 * returned. `work` must not call this. */
void parts_run(size_t n, void (*work)(void *arg, size_t i), void *arg);

/* How many parts n elements are. */
static inline size_t parts_of(int64_t n)
{
	return n > 0 ? (size_t)((n + PART_ELEMENTS - 1) / PART_ELEMENTS) : 0;
}

#endif
