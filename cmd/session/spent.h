/* What a run's models had taken when each of its attempts was made. */
#ifndef CMD_SESSION_SPENT_H
#define CMD_SESSION_SPENT_H

#include "gitstore/gitstore.h"

struct spent_by {
	double dollars, tokens;
};

/* One for each attempt of p, by its index; NULL in *out where no model was asked.
 * free() disposes. */
struct error *spent_read(struct spent_by **out, struct gitstore *g,
			 const char *run,
			 const struct population *p) MUST_CHECK;

#endif
