/*
 * Was the machine steady during a contest? Three things are watched: how long
 * the arms waited for their CPU while other programs had it, how much of the
 * machine's time a hypervisor gave to others, and whether everything became
 * slower or faster together (a clock that falls, a card that heats up).
 * Throttling is counted if the kernel reports it.
 *
 * Pairs in random order remove most of this from a ratio, but not all. So a
 * disturbance is converted into the largest bias that it could have caused if
 * it had hit only one arm; a gain below that is not crowned.
 */
#ifndef SCORER_DEVICE_STEADINESS_H
#define SCORER_DEVICE_STEADINESS_H

#include <sys/types.h>

#include "core/base/error.h"

/* All zero before steadiness_begin; steadiness_release disposes. */
struct steadiness {
	double ran, waited;   /* seconds, all arms together */
	double stolen, total; /* CPU seconds of the machine, at the start */
	int64_t throttled;    /* events, at the start; -1: not reported here */
	double *level;	      /* log seconds, one for each round; owned */
	size_t n, cap;
};

/* CPU time of a process, as counted by the kernel's scheduler. */
struct cpu_time {
	double ran, waited; /* seconds */
};
/* All zero if it cannot be read. */
struct cpu_time cpu_time_of(pid_t pid);

/* ---- during a contest ---------------------------------------------------- */

/* Forgets the contest before, and reads the counters of the machine. */
void steadiness_begin(struct steadiness *s);
/* The CPU time of an arm's process before and after its launches. */
void steadiness_arm(struct steadiness *s, const struct cpu_time *before,
		    const struct cpu_time *after);
/* Adds the mean log seconds of the candidate over a round's cases. */
void steadiness_round(struct steadiness *s, double level);
/* Drops the rounds so far: what follows is measured in another way. */
void steadiness_forget_rounds(struct steadiness *s);

/* ---- at its end ---------------------------------------------------------- */

/* The largest bias (log ratio) that the disturbances can explain; HUGE_VAL if
 * its size is unknown. *why is a clause for people, free() it. If all was
 * steady, *why is NULL and the bias zero. Reads the counters again, so that it
 * must be called while the contest has just ended. */
double steadiness_end(char **why, const struct steadiness *s);
void steadiness_release(struct steadiness *s);

#endif
