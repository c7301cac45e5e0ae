/*
 * How the seconds of --time are shared out, all counted from the beginning of
 * the call: attempts begin, the last measurements follow, and what is at work a
 * while later is cut off.
 */
#ifndef CORE_RUN_TIME_LIMIT_H
#define CORE_RUN_TIME_LIMIT_H

struct time_limit {
	double attempts; /* where something is left to measure at the end, and
			  * fits in, no attempt begins later; else none after
			  * `all` */
	double all;
	double settle; /* comparisons of an attempt that has begun end */
	double cut;    /* what is at work is cut off */
};

/* `seconds`: 0 or less for no limit; then all are INFINITY. */
struct time_limit time_limit_of(double seconds);

#endif
