/*
 * NVIDIA's compute-sanitizer: how it is called, and what it found in one
 * launch. Like a profiler it runs outside the sandbox, with a small
 * environment and a deadline; what it runs is the runner with a plan, never a
 * candidate's host code.
 */
#ifndef SCORER_INSPECT_SANITIZER_H
#define SCORER_INSPECT_SANITIZER_H

#include "core/task/task.h"
#include "core/base/base.h"
#include "scorer/host/context.h"

/*
 * What compute-sanitizer writes into its log: lines that begin with
 * "=========". A title has one space after that, the details of a finding
 * more; summaries count. Other lines are what the program printed.
 *
 * The text names kernels and files as a candidate called them, so nothing of
 * it is believed but its form: a line that was smuggled in can add a
 * finding, never take one away, and all that is kept is bounded and printable.
 */

#define FINDINGS_SENTENCE 700 /* bytes of the first finding, at most */

struct findings {
	/* What was found wrong, as often as the tool says or as it is written
	 * there, whichever is more. */
	int64_t errors;
	int64_t warnings; /* of racecheck: what may be meant */
	bool complete;	  /* it ended with a summary */
	/* "Invalid __global__ write of size 4 bytes at f(int *)+0x60 in k.cu:6,
	 * by thread (0,0,0) in block (0,0,0), ..."; NULL without an error. */
	char *first;
	/* What the tool says of itself that went wrong; NULL: nothing. */
	char *trouble;
};

void findings_parse(struct findings *out, const char *text, size_t len);
void findings_release(struct findings *f);

DEFINE_RELEASE(findings, struct findings, findings_release)
#define cleanup_findings CLEANUP(findings)

/* Finds it: AVOGIT_COMPUTE_SANITIZER, PATH, the usual places. free() disposes.
 * ERROR_NOT_FOUND. */
struct error *sanitizer_find(char **out) MUST_CHECK;

struct sanitizing {
	struct findings found;
	char *log; /* the tool's own words, bounded; never NULL */
};
#define cleanup_sanitizing CLEANUP(sanitizing)
void sanitizing_release(struct sanitizing *s);
DEFINE_RELEASE(sanitizing, struct sanitizing, sanitizing_release)

/* Runs `program` (NULL-terminated words) under one tool. `folder` is private
 * and can be written. found.trouble is set where it did not come to an end
 * within `seconds`, or ended in a way that says nothing about the program. An
 * option that this version does not know is left out, and it is asked
 * again. */
struct error *sanitizer_run(struct sanitizing *out, const char *sanitizer,
			    enum sanitizer_tool tool,
			    const char *const *program, const char *folder,
			    double seconds) MUST_CHECK;

/* ---- a candidate under sanitizers: sanitize.c ---------------------------- */

/*
 * A candidate that passed, under sanitizers: one launch of the smallest
 * declared case and one of a small hidden case, each under each tool. What
 * they find is a failure of the candidate; where they cannot look, the
 * measurement says so and nothing else changes. docs/sanitize.md.
 */

/* Of a measurement that is otherwise done: a search sanitizes what it would
 * crown, and nothing else. */
bool sanitize_wanted(const struct measurement *m,
		     const struct score_request *r);
/* A finding is in *o. `sanitized` in the measurement names the tools that
 * found nothing, `unsanitized` says why they were not all asked, or could not
 * say. `tools` is a set, see task.h. */
struct error *sanitize_candidate(struct score_outcome *o, struct measurement *m,
				 struct scorer *s, const struct build *build,
				 unsigned tools) MUST_CHECK;

#endif
