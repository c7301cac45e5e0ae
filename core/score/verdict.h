/* The result of a scoring. A value, never an error. The names are stable,
 * because they are in notes that outlive this program. */
#ifndef CORE_SCORE_VERDICT_H
#define CORE_SCORE_VERDICT_H

#include "core/base/base.h"

/* X(enumerator, name in notes, one line for people) */
#define VERDICTS(X)                                                          \
	X(VERDICT_PASS, "pass", "correct in every case")                     \
	X(VERDICT_BUILD_FAILED, "build-failed", "it does not build")         \
	X(VERDICT_WRONG, "wrong", "an output is wrong")                      \
	X(VERDICT_CRASHED, "crashed", "it ended by a signal or an exit")     \
	X(VERDICT_TIMED_OUT, "timed-out", "it did not return in time")       \
	X(VERDICT_OUT_OF_BOUNDS, "out-of-bounds",                            \
	  "it wrote outside its buffers")                                    \
	X(VERDICT_FORBIDDEN, "forbidden", "it did what the sandbox forbids") \
	X(VERDICT_IMPOSSIBLE, "impossible",                                  \
	  "its figure is beyond what the machine can do")                    \
	X(VERDICT_NOT_RUN, "not-run",                                        \
	  "it builds; there is no GPU to run it on")                         \
	X(VERDICT_UNUSABLE, "unusable", "what was recorded cannot be")

enum verdict {
#define X(id, name, line) id,
	VERDICTS(X)
#undef X
		VERDICT_COUNT
};

const char *verdict_name(enum verdict v);
const char *verdict_line(enum verdict v);
/* False, with *v unchanged, if there is no verdict of this name. */
bool verdict_parse(enum verdict *v, const char *name);

#endif
