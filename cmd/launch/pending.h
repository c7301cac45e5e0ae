/*
 * What of the local runs was never measured: here (`avogit score --pending`), by
 * another machine for this one (launch.h), or for another one here (serve.h).
 * Each run is scored by its own task, read at its base.
 */
#ifndef CMD_LAUNCH_PENDING_H
#define CMD_LAUNCH_PENDING_H

#include "cmd/session/session.h"

/* Settings of a measurement: the job for which another machine made it, and the
 * launch that brought it here. */
#define JOB_KEY	   "job"
#define LAUNCH_KEY "launch"

struct pending {
	double seconds; /* of a comparison; 0: the scorer's own */
	const char *color;
	bool json;
	struct json *scores; /* borrowed; only filled for --json */
	size_t measured, failed;
};

/* Measures every candidate in the local runs that has no measurement for this
 * kind of machine, task and scorer, against the start of its run, and writes it
 * to the run's journal. Runs that another process extends are left to that
 * process. */
struct error *pending_measure(struct pending *p) MUST_CHECK;

/* One run with its own task, read at its base. */
struct pending_run {
	struct pending *p; /* borrowed, as is name */
	const char *name;
	struct session session;
	struct population population;
	struct candidate start;
	bool task_checked;
};
void pending_run_release(struct pending_run *r);
DEFINE_RELEASE(pending_run, struct pending_run, pending_run_release)
#define cleanup_pending_run CLEANUP(pending_run)

/* Fills r (zeroed, with p and name). Without a record of the run r's evaluator
 * stays NULL. `stop_now` may be NULL. */
struct error *pending_run_open(struct pending_run *r,
			       const volatile int *stop_now) MUST_CHECK;
/* Measures it here and writes that to the run's journal, with the id of the job
 * that asked for it (NULL: none). ERROR_REFUSED if it cannot be run here.
 * measurement_free disposes. */
struct error *pending_run_measure(struct measurement **out,
				  struct pending_run *r,
				  const struct attempt *a,
				  const struct candidate *c,
				  const char *job) MUST_CHECK;
/* Writes to the run's own journal, for a process that continues the run. */
struct error *pending_run_keep(struct pending_run *r, const struct attempt *a,
			       const struct measurement *m) MUST_CHECK;
/* Counts it, and prints a line or adds it to the scores. */
void pending_run_say(struct pending_run *r, const struct attempt *a,
		     const struct measurement *m);

#endif
