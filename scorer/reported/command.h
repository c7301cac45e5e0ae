/*
 * One run of a task's score.command for one candidate, in the sandbox of a
 * build: in the task's folder of a copy of the candidate's files (and of the
 * object that build.command left), which it may write to. Its standard output
 * is a score (output.h), its standard error is the log.
 *
 * What it runs can see is the same for every candidate and rival: files under
 * the same names, the same environment.
 */
#ifndef SCORER_REPORTED_COMMAND_H
#define SCORER_REPORTED_COMMAND_H

#include "scorer/build/build.h"
#include "scorer/reported/output.h"

struct reported_command {
	const struct task *task;
	const struct sandbox *sandbox;
	const volatile int *stop_now; /* may be NULL */
};

/* The files of one contender, for all of its runs. fileset_release disposes. */
struct error *reported_files(struct fileset *out, const struct task *task,
			     const struct fileset *candidate,
			     const struct build *built) MUST_CHECK;
/* Adds the seconds of the run to *seconds. How the command ended and what it
 * printed is a verdict in *out, which reported_release disposes of; *log (free()
 * disposes) what it said of a failure, else NULL. An error only where nothing
 * could be run. */
struct error *reported_run(struct reported *out, char **log, double *seconds,
			   const struct reported_command *c,
			   const struct fileset *files) MUST_CHECK;

#endif
