/* Hands a job (core/run/job.h) to a command that reaches another machine, and
 * reads what comes back. */
#ifndef CMD_LAUNCH_REQUEST_H
#define CMD_LAUNCH_REQUEST_H

#include "core/run/job.h"
#include "core/sandbox/process.h"

/* Opens the file that the command reads: the job's line, then the file `bundle`
 * of this folder, where it is made. */
struct error *request_write(int *out, const char *folder,
			    const struct score_job *job) MUST_CHECK;
/* Runs the command to its end and reads its answer, whole or not; its stderr is
 * this process's own. At *stop (2) it is killed: ran->stopped. ERROR_TOO_BIG and
 * the errors of job_answer_read: nothing of the answer counts. */
struct error *request_send(struct process_result *ran, struct job_answer *out,
			   const char *command, int request,
			   const struct score_job *job,
			   const volatile int *stop) MUST_CHECK;
/* Adds why not everything was answered, for people. A command's exit code proves
 * nothing, and explains much. */
void request_unanswered(struct buf *why, const struct job_answer *a,
			const struct process_result *ran);

#endif
