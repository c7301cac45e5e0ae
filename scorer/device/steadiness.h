/*
 * Was the machine steady while a contest ran? Three things are watched: how
 * long the arms waited for their CPU while other programs had it, how much of
 * the machine's time a hypervisor gave to others, and whether everything
 * became slower or faster together (a clock that falls, a card that heats).
 * Throttling is read where the kernel counts it.
 *
 * Pairs in random order take most of this out of a ratio, but not all. So a
 * disturbance is turned into the largest bias it could have caused, had it hit
 * one arm alone; no gain below that is crowned.
 */
#ifndef SCORER_DEVICE_STEADINESS_H
#define SCORER_DEVICE_STEADINESS_H

#include <sys/types.h>

#include "core/base/error.h"

struct steadiness {
	double ran, waited;   /* seconds, by all arms */
	double stolen, total; /* CPU seconds of the machine, at the start */
	int64_t throttled;    /* events, at the start; -1: not counted here */
	double *level;	      /* log seconds, one a round; owned */
	size_t n, cap;
};

/* CPU time of a process as the kernel's scheduler counts it. */
struct cpu_time {
	double ran, waited; /* seconds */
};
/* All zero where it cannot be read. */
struct cpu_time cpu_time_of(pid_t pid);

void steadiness_begin(struct steadiness *s);
/* What an arm's process had before and after its launches. */
void steadiness_arm(struct steadiness *s, const struct cpu_time *before,
		    const struct cpu_time *after);
/* The mean log seconds of a round's cases, of the candidate. */
void steadiness_round(struct steadiness *s, double level);
/* The largest bias (log ratio) that what was seen can explain; HUGE_VAL where
 * its size cannot be known. *why is a clause for people, free() it; NULL, and
 * zero, where all was steady. */
double steadiness_end(char **why, const struct steadiness *s);
void steadiness_release(struct steadiness *s);

#endif
