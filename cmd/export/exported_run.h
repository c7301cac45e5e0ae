/*
 * A run for the programs with which people watch experiments: a line of JSON an
 * attempt, an event file of TensorBoard, and figures in the text of OpenMetrics.
 * docs/export.md says what each has.
 */
#ifndef CMD_EXPORT_EXPORTED_RUN_H
#define CMD_EXPORT_EXPORTED_RUN_H

#include "cmd/session/session.h"

struct exported_run {
	struct session *session; /* borrowed */
	const char *run;	 /* borrowed */
	struct population p;
	double *best; /* one an attempt: the speed of the best until then, as
		       * attempt_speedup */
	bool running; /* a process of this machine extends it */
};

/* ERROR_NOT_FOUND if the run has no attempt. */
struct error *exported_run_read(struct exported_run *out, struct session *s,
				const char *run) MUST_CHECK;
void exported_run_release(struct exported_run *w);

/* Each adds to `out` up to its limit. */
struct error *exported_run_lines(struct buf *out,
				 const struct exported_run *w) MUST_CHECK;
struct error *exported_run_tensorboard(struct buf *out,
				       const struct exported_run *w) MUST_CHECK;
struct error *exported_run_openmetrics(struct buf *out,
				       const struct exported_run *w) MUST_CHECK;

/* The measurement with its cases, *whole where it had to be read again; NULL:
 * there is none. */
struct error *exported_run_measurement(const struct measurement **out,
				       struct measurement **whole,
				       const struct exported_run *w,
				       const struct attempt *a) MUST_CHECK;

DEFINE_RELEASE(exported_run, struct exported_run, exported_run_release)
#define cleanup_exported_run CLEANUP(exported_run)

#endif
