/*
 * Calls NVIDIA's compute-sanitizer and reads its findings for one launch. Like
 * a profiler it runs outside the sandbox, with a small environment and a
 * deadline; it runs the runner with a plan, never a candidate's host code.
 */
#ifndef SCORER_INSPECT_SANITIZER_H
#define SCORER_INSPECT_SANITIZER_H

#include "core/task/task.h"
#include "core/base/base.h"
#include "scorer/host/context.h"

/*
 * compute-sanitizer writes lines into its log that begin with "=========". A
 * title has one space after that, the details of a finding more; summaries
 * count findings. The program printed all other lines.
 *
 * A candidate chooses the names of kernels and files in the text, so only its
 * form is trusted: a line that a candidate inserted can add a finding, never
 * remove one, and all that is kept is bounded and printable.
 */

#define FINDINGS_SENTENCE 700 /* bytes of the first finding, at most */

struct findings {
	/* The number of errors: the tool's count or the number written out,
	 * whichever is larger. */
	int64_t errors;
	int64_t warnings; /* of racecheck: races that may be intended */
	bool complete;	  /* it ended with a summary */
	/* "Invalid __global__ write of size 4 bytes at f(int *)+0x60 in k.cu:6,
	 * by thread (0,0,0) in block (0,0,0), ..."; NULL without an error. */
	char *first;
	/* The tool's message about its own failure; NULL: none. */
	char *trouble;
};

void findings_parse(struct findings *out, const char *text, size_t len);
void findings_release(struct findings *f);

DEFINE_RELEASE(findings, struct findings, findings_release)
#define cleanup_findings CLEANUP(findings)

/* Finds the program: AVOGIT_COMPUTE_SANITIZER, PATH, the usual places. free()
 * disposes. ERROR_NOT_FOUND. */
struct error *sanitizer_find(char **out) MUST_CHECK;

struct sanitizing {
	struct findings found;
	char *log; /* the tool's own words, bounded; never NULL */
};
#define cleanup_sanitizing CLEANUP(sanitizing)
void sanitizing_release(struct sanitizing *s);
DEFINE_RELEASE(sanitizing, struct sanitizing, sanitizing_release)

/* Runs `program` (NULL-terminated words) under one tool. `folder` is private
 * and can be written. `gpu`: the card that it sees; NULL: those that the user
 * chose. found.trouble is set if it did not end within `seconds`,
 * or ended in a way that says nothing about the program. If this version does
 * not know an option, the tool runs again without it. */
struct error *sanitizer_run(struct sanitizing *out, const char *sanitizer,
			    enum sanitizer_tool tool,
			    const char *const *program, const char *folder,
			    double seconds, const struct gpu *gpu) MUST_CHECK;

/* ---- a candidate under sanitizers: sanitize.c ---------------------------- */

/*
 * Runs a candidate that passed under sanitizers: one launch of the smallest
 * declared case and one of a small hidden case, each under each tool. A finding
 * is a failure of the candidate; if a tool cannot check, the measurement says
 * so and nothing else changes. docs/sanitize.md.
 */

/* Shall this finished measurement be sanitized? In a search only a candidate
 * that would become the champion. */
bool sanitize_wanted(const struct measurement *m,
		     const struct score_request *r);
/* A finding is in *o. `sanitized` in the measurement names the tools that
 * found nothing, `unsanitized` says why some tools did not run or had no
 * result. `tools` is a set, see task.h. */
struct error *sanitize_candidate(struct score_outcome *o, struct measurement *m,
				 struct scorer *s, const struct build *build,
				 unsigned tools) MUST_CHECK;

#endif
