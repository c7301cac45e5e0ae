/* What a run elsewhere wants of one candidate (core/run/order.h), whose commits
 * are in the repository of the current folder. */
#ifndef CMD_LAUNCH_SERVE_ORDER_H
#define CMD_LAUNCH_SERVE_ORDER_H

#include "cmd/launch/pending.h"
#include "core/run/job.h"

/* The line that answers it. A measurement is kept with the job's id: asked for
 * the same job again, it is not made again. free() disposes of *line. */
struct error *order_serve(char **line, const struct score_job *job,
			  int64_t restart, const struct pending *p,
			  const volatile int *stop) MUST_CHECK;

#endif
