/*
 * The far side of a job (core/run/job.h): reads it from stdin, measures what it
 * asks for, and answers on stdout, a line a measurement.
 *
 * What came is kept in a repository in the user's cache folder, one for each
 * clone that asks: what was measured and could not be answered, because the
 * line was cut, is not measured twice. Nothing there is needed otherwise.
 */
#ifndef CMD_LAUNCH_SERVE_H
#define CMD_LAUNCH_SERVE_H

#include "cmd/launch/pending.h"

/* Changes the current folder. An error after the job was read is also said in
 * the answer's last line. */
struct error *serve_job(struct pending *p) MUST_CHECK;

#endif
