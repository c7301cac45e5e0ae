/* A measurement on the screen: headline, cases, comparisons, a failure's
 * reason and log, the environment. */
#ifndef CMD_UI_REPORT_H
#define CMD_UI_REPORT_H

#include "cmd/ui/color.h"
#include "cmd/ui/table.h"
#include "core/run/population.h"

/* "1.25x"; "-" where there is none (NAN, 0). */
void report_format_ratio(char *out, size_t size, double ratio);
enum color report_told_color(enum told told);

/* The verdict, the score, the reason of a failure: one line, no newline. */
void report_headline(struct buf *out, const struct measurement *m);
/* Cases with a column a comparison, then the comparisons. */
void report_cases(const struct measurement *m, const struct palette *p);
/* What each kernel takes of a GPU, with what the compiler remarked. */
void report_resources(const struct measurement *m, const struct palette *p);
/* The log of a failure, where there is one. */
void report_log(const struct measurement *m);
void report_environment(const struct measurement *m, const struct palette *p);

/* Of an attempt, by its outcome (core/run/outcome.h): the champion '*', the
 * start and what was kept 'o', failed 'x', in flight '?', every other '.'. */
char report_mark(const struct population *p, const struct attempt *a);
enum color report_mark_color(char mark);

#endif
