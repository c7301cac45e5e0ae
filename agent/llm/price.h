/*
 * What tokens cost. A model is found by the longest prefix of its name in the
 * table of the user and the task, then in the built-in one; a model in neither
 * has an unknown price, never zero.
 */
#ifndef AGENT_LLM_PRICE_H
#define AGENT_LLM_PRICE_H

#include "agent/provider/reply.h"

/* US dollars per million tokens. */
struct price {
	const char *model; /* prefix of the name */
	double input, cache_read, cache_write, cache_write_long, output;
};

/* The user's and the task's own table, searched first. */
struct price_table {
	const struct price *prices;
	size_t n;
};

/* When the built-in prices were read: for people. */
#define PRICES_DATE "November 2026"
/* How the user writes a price. */
#define PRICE_FORM "IN OUT [CACHE_READ [CACHE_WRITE]]"
/* The command that sets a model's price. free() disposes. */
char *price_command(const char *model) MUST_CHECK;

/* NULL if the price is unknown. `own` may be NULL. */
const struct price *price_find(const struct price_table *own,
			       const char *model);
/* Sets the price in dollars; false if the price or the usage is unknown. */
bool price_of(double *dollars, const struct price_table *own, const char *model,
	      const struct usage *usage);

#endif
