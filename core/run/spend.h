/*
 * What a run used of what costs: turns of a model, tokens, money, seconds of a
 * GPU. An entry of the journal holds what was spent since the writer's previous
 * entry, so the sum over all entries is the run's.
 */
#ifndef CORE_RUN_SPEND_H
#define CORE_RUN_SPEND_H

#include "core/base/buf.h"
#include "core/base/json.h"

struct spend {
	int64_t turns;	    /* replies of a model */
	int64_t tokens_in;  /* of prompts, including what a cache held */
	int64_t tokens_hit; /* how many of these a cache held */
	int64_t tokens_out;
	double dollars;
	bool unpriced; /* `dollars` covers only a part */
	double gpu_seconds;
};

void spend_add(struct spend *sum, const struct spend *more);
bool spend_is_zero(const struct spend *s);
/* "12 turns, 84k tokens in (71k cached), 6k out, $0.31"; "" if no model was
 * asked. free() disposes. */
char *spend_format(const struct spend *s) MUST_CHECK;
/* An object of the members that are not zero; NULL if all are zero. */
struct json *spend_to_json(const struct spend *s) MUST_CHECK;
/* `j` may be NULL: nothing was spent. A negative number, or a value that is not
 * a number, counts as zero. */
void spend_from_json(struct spend *out, const struct json *j);

/* The limits of a run in all; 0 or less: no limit. */
struct budget_limits;
/* Which of the limits on spending is reached: "steps", "tokens", "money",
 * "gpu-time"; NULL: none. A constant. */
const char *spend_reached(const struct spend *s,
			  const struct budget_limits *limits);
/* The journal's word for why a run stopped, as the end of a sentence: "the time
 * is up". An unknown word is returned unchanged. */
const char *stop_words(const char *reason);

#endif
