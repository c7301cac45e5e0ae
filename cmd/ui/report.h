/* Prints a measurement: headline, cases, comparisons, the reason and log of a
 * failure, and the environment. */
#ifndef CMD_UI_REPORT_H
#define CMD_UI_REPORT_H

#include "cmd/ui/color.h"
#include "cmd/ui/table.h"
#include "core/run/population.h"

/* Formats "1.25x"; "-" for NAN or 0. */
void report_format_ratio(char *out, size_t size, double ratio);

/* The width of a column of scores of its class; m may be NULL. */
int report_rate_width(const struct measurement *m);
/* Formats its rate for a table, with a '?' where it says little (DOUBT_KEY); out is as
 * it was where m has none, or is NULL. `size`: RATE_TEXT + 1 or more. */
void report_format_rate(char *out, size_t size, const struct measurement *m);
/* Adds one line without newline: verdict, score, reason of a failure. */
void report_headline(struct buf *out, const struct measurement *m);
/* Is its rate uncertain by more than the gains that one looks for? */
bool report_is_noisy(const struct measurement *m);
/* Prints "  1.25x the speed of the start [1.24x, 1.26x]", then `how` it was found. */
void report_against(const struct palette *p, const struct comparison *c,
		    const char *against, const char *how);
/* Prints the cases with one column per comparison, then the comparisons. `start`:
 * the commit that the run began with, which is named so, whatever it was measured
 * as; NULL: not known. */
void report_cases(const struct measurement *m, const struct palette *p,
		  const char *start);
/* Prints each kernel's use of GPU resources and the compiler's remarks. */
void report_resources(const struct measurement *m, const struct palette *p);
/* Prints the log of a failure, if there is one. */
void report_log(const struct measurement *m);
/* Prints the environment's keys and values as a table. */
void report_environment(const struct measurement *m, const struct palette *p);

/* Who said it: "supervisor", "islands", "operator", "scorer" or a role. */
const char *report_said_by(const struct saying *w);

/* The mark of an attempt's outcome (core/run/outcome.h): champion '*', start
 * and kept 'o', failed 'x', in flight '?', all others '.'. */
char report_mark(const struct population *p, const struct attempt *a);
enum color report_mark_color(char mark);

#endif
