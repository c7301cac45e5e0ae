/*
 * What a task's score.command prints: one JSON object on its standard output
 * and nothing else.
 *
 *     {"verdict": "pass", "score": 123.4,
 *      "cases": [{"name": "short prompts", "value": 130.1}, ...]}
 *     {"verdict": "wrong", "why": "token 17 is another one"}
 *
 * It may come from a candidate, so it is read with bounds and nothing in it is
 * guessed: docs/scoring.md.
 */
#ifndef SCORER_REPORTED_OUTPUT_H
#define SCORER_REPORTED_OUTPUT_H

#include "core/base/strvec.h"
#include "core/score/verdict.h"

#define REPORTED_OUTPUT_MAX ((size_t)64 << 10)
#define REPORTED_CASES_MAX  256
#define REPORTED_NAME_MAX   64	/* bytes of a case's name */
#define REPORTED_WHY_MAX    500 /* bytes of `why` */
#define REPORTED_VALUE_MAX  1e24

/* A pass has a score and perhaps cases, any other verdict a reason. */
struct reported {
	enum verdict verdict;
	char *why;
	double score;	    /* positive */
	struct strvec name; /* of the cases, each once */
	double *value;	    /* one for each case, positive; owned */
};

/* NULL, or a sentence on why the text is not a score (free() disposes); *out
 * is then empty. reported_release disposes of *out. */
char *reported_parse(struct reported *out, const char *text,
		     size_t len) MUST_CHECK;
void reported_release(struct reported *r);
DEFINE_RELEASE(reported, struct reported, reported_release)
#define cleanup_reported CLEANUP(reported)

#endif
