/*
 * How the seconds of --time are shared out, counted from the beginning of the call:
 * attempts begin, the last measurements follow, and what is at work a while later is
 * cut off.
 */
#ifndef CORE_RUN_TIME_LIMIT_H
#define CORE_RUN_TIME_LIMIT_H

struct time_limit {
	double attempts; /* where something is left to measure at the end, and
			  * fits in, no attempt begins later; else none after
			  * `all` */
	double all;
	double settle; /* comparisons of an attempt that has begun end */
	double final;  /* seconds: the last measurements have these from then
			* on, where attempts ended late */
	double last;   /* but end here, before they are cut off */
	double cut;    /* what is at work is cut off */
};

/* `seconds`: 0 or less for no limit; then all are INFINITY. */
struct time_limit time_limit_of(double seconds);

#endif
