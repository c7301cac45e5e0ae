/* Time: the monotonic clock of record, and wall time for people. */
#ifndef CORE_BASE_CLOCK_H
#define CORE_BASE_CLOCK_H

#include "core/base/base.h"

/* Seconds of CLOCK_MONOTONIC_RAW: the clock every measurement uses. */
double clock_seconds(void);
/*
 * The time of a run: clock_seconds() and what clock_wait has skipped. Budgets
 * and patience use it, measurements do not.
 */
double clock_run_seconds(void);
/* Waits so many seconds of the run; false as soon as *stop (may be NULL) is
 * non-zero. For tests: with AVOGIT_TEST_CLOCK=N in the environment a wait is N
 * times shorter, and clock_run_seconds() counts all of it. */
bool clock_wait(double seconds, const volatile int *stop) MUST_CHECK;
/* Microseconds since 1970 (UTC): stamps of entries and measurements. */
int64_t clock_wall_us(void);
/* A stamp that another program wrote: 1970 to the end of the year 9999. */
int64_t clock_bounded(int64_t wall_us);
/* "2026-11-21T01:02:03Z" of a stamp; out has room for 21 bytes. */
void clock_format(char out[21], int64_t wall_us);
/* "1h 02m", "3m 05s", "12.3 s": for people; free() disposes. */
char *clock_format_span(double seconds) MUST_CHECK;
/* Parses "90", "90s", "30m", "2h", "1d", "1h30m" into seconds; false if it
 * is none of these or not positive. */
bool clock_parse_span(double *seconds, const char *text);

#endif
