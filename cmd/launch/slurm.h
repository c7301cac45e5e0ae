/*
 * A job (core/run/job.h) that a cluster's Slurm measures: shared out to the jobs
 * of an array, whose requests and answers lie in a folder that all nodes have.
 *
 * An answer is believed for the array's number, the index and the restart count
 * that Slurm says: each start of a job writes a file of its own, so that what a
 * dead node still writes is not read. What a job did not answer when Slurm ended
 * it (a cancel, its time limit, another job) is sent again.
 */
#ifndef CMD_LAUNCH_SLURM_H
#define CMD_LAUNCH_SLURM_H

#include "cmd/launch/slurm_queue.h"
#include "core/run/job.h"

struct slurm_request {
	const struct slurm_settings *settings;
	const char *launch; /* its name, for messages */
	const char *folder; /* absolute; the file `bundle` lies there */
	const struct score_job *job;
	/* Checks and writes an answer, whole or not. */
	struct error *(*keep)(void *arg, const struct job_answer *a);
	void *arg;
	const volatile int *stop; /* 2: cancels all jobs and gives up */
	bool quiet;		  /* says only what is unusual */
};

/* Returns when all is answered or given up; *why is then the reason (NULL: all
 * is answered; free() disposes). Jobs that are still queued or running when an
 * error ends it are cancelled. ERROR_INTERRUPTED at *stop. */
struct error *slurm_measure(char **why,
			    const struct slurm_request *request) MUST_CHECK;

#endif
