/*
 * What a reference did wrong, as an error of the task: a sentence that names the
 * reference, the array, and the remedy.
 */
#ifndef SCORER_HOST_REFERENCE_WORDS_H
#define SCORER_HOST_REFERENCE_WORDS_H

#include "core/base/error.h"
#include "core/task/task.h"
#include "scorer/wire/protocol.h"

/* Of an access where it must not be; NULL if that names no argument of the task. */
struct error *reference_access_error(const struct task *t,
				     const struct array_access *a) MUST_CHECK;
/* Of a finding of the judge's about the reference; else NULL. */
struct error *reference_finding_error(const struct task *t,
				      const struct judge_answer *a) MUST_CHECK;

#endif
