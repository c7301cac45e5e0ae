/*
 * What compute-sanitizer writes into its log: lines that begin with
 * "=========". A title has one space after that, the details of a finding
 * more; summaries count. Other lines are what the program printed.
 *
 * The text names kernels and files as a candidate called them, so nothing of
 * it is believed but its form: a line that somebody smuggled in can add a
 * finding, never take one away, and all that is kept is bounded and printable.
 */
#ifndef SCORER_INSPECT_SANITIZER_LOG_H
#define SCORER_INSPECT_SANITIZER_LOG_H

#include "core/base/base.h"

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

#endif
