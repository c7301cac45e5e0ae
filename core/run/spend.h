/*
 * What a run took of what costs: turns of a model, tokens, money, seconds of a
 * GPU. Entries of the journal hold what was spent since the writer's entry
 * before, so that the sum over all writers is the run's.
 */
#ifndef CORE_RUN_SPEND_H
#define CORE_RUN_SPEND_H

#include "core/base/buf.h"
#include "core/base/json.h"

struct spend {
	int64_t turns;	    /* replies of a model */
	int64_t tokens_in;  /* prompts, what a cache held included */
	int64_t tokens_hit; /* of those, what a cache held */
	int64_t tokens_out;
	double dollars;
	bool unpriced; /* dollars are of a part only */
	double gpu_seconds;
};

void spend_add(struct spend *sum, const struct spend *more);
bool spend_is_zero(const struct spend *s);
/* "12 turns, 84k tokens in (71k cached), 6k out, $0.31"; "" where no model was
 * asked. free() disposes. */
char *spend_format(const struct spend *s) MUST_CHECK;
/* An object of what is not zero; NULL where all is. */
struct json *spend_to_json(const struct spend *s) MUST_CHECK;
/* `j` may be NULL: nothing was spent. What is negative or no number counts as
 * nothing. */
void spend_from_json(struct spend *out, const struct json *j);

/* What a run may take, in all; 0 or less: no limit. */
struct budget_limits;
/* Which of the limits on spending is reached: "steps", "tokens", "money",
 * "gpu-time"; NULL: none. Static. */
const char *spend_reached(const struct spend *s,
			  const struct budget_limits *limits);
/* The journal's word for why a run stopped as the end of a sentence: "the
 * time is up". A word that is none comes back. */
const char *stop_words(const char *reason);

#endif
