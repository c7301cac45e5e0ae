/*
 * A job: candidates that another machine is asked to measure, and its answer.
 * docs/launch.md describes both as lines of JSON. The answer comes from a
 * process that may have been killed, restarted or replaced, so its exit code
 * proves nothing: a line counts only if it is whole and names this job, and of
 * several starts of the job only the last one counts.
 */
#ifndef CORE_RUN_JOB_H
#define CORE_RUN_JOB_H

#include "core/run/journal.h"
#include "core/run/order.h"

#define JOB_ID_LEN 16 /* hex */
/* Most candidates of a job, and most bytes of its first line. */
#define JOB_MAX	     1000
#define JOB_LINE_MAX ((size_t)1 << 20)

struct job_candidate {
	char run[RUN_NAME_MAX + 1];
	struct commit_id id;
};

struct score_job {
	char id[JOB_ID_LEN + 1];
	char from[WRITER_LEN + 1]; /* the clone that asks */
	struct job_candidate *candidate;
	size_t n, cap;
	/* What a run that is being extended wants of its one candidate; all
	 * zeros: a measurement that crowns nothing. */
	struct score_order order;
};

/* Draws the id. job_release disposes. */
void job_init(struct score_job *job, const char *from);
void job_add(struct score_job *job, const char *run,
	     const struct commit_id *id);
void job_release(struct score_job *job);
DEFINE_RELEASE(job, struct score_job, job_release)
#define cleanup_job CLEANUP(job)

/* One line, without its newline. free() disposes. */
char *job_print(const struct score_job *job) MUST_CHECK;
/* ERROR_MALFORMED for a line that job_print did not write. */
struct error *job_parse(struct score_job *out, const char *line,
			size_t len) MUST_CHECK;

/* ---- the answer ---------------------------------------------------------- */

/* Lines of an answer, without newline. `restart`: how often the job was started
 * again before this start of it. free() disposes. */
char *job_answer_line(const struct score_job *job, int64_t restart,
		      const struct job_candidate *c,
		      const struct measurement *m) MUST_CHECK;
/* `count`: measurements before it; `why` those are not all, or NULL. */
char *job_end_line(const struct score_job *job, int64_t restart, size_t count,
		   const char *why) MUST_CHECK;

/* Of an order: the candidate was not measured, because a rival failed. */
char *job_failure_line(const struct score_job *job, int64_t restart,
		       const struct rival_failure *f) MUST_CHECK;
/* Of an order: what machine it is. */
char *job_machine_line(const struct score_job *job, int64_t restart,
		       const struct far_machine *machine) MUST_CHECK;
/* Of an order, and its last line: commits are missing here. */
char *job_missing_line(const struct score_job *job, int64_t restart) MUST_CHECK;

struct job_result {
	const struct job_candidate *of; /* borrowed from the job */
	/* NULL only of an order, whose answer is then one of the others. */
	struct measurement *measurement;
	struct rival_failure failure;
	struct far_machine machine;
};

struct job_answer {
	int64_t restart; /* the start of the job that counts: the last */
	struct job_result *result;
	size_t n, cap;
	size_t left_out; /* measurements of earlier starts */
	bool ended;	 /* its last line came: the answer is whole */
	char *why;	 /* not all was measured, as the other side says */
	bool missing;	 /* because it lacks commits that were not sent */
};
void job_answer_release(struct job_answer *a);
DEFINE_RELEASE(job_answer, struct job_answer, job_answer_release)
#define cleanup_job_answer CLEANUP(job_answer)

/* Reads what came back. The part after the last newline is the beginning of a
 * line that was cut off, and is left out. An error, and then nothing counts:
 * ERROR_MALFORMED for a line that is not of an answer; ERROR_REFUSED for one
 * that answers another job, a candidate that was not asked for, one twice, or
 * goes on after the end. Identities are the caller's to check. */
struct error *job_answer_read(struct job_answer *out,
			      const struct score_job *job, const char *text,
			      size_t len) MUST_CHECK;

#endif
