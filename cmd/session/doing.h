/*
 * What a run does right now, for those who look on from another process (`avogit
 * watch`): its process says it beside its lock (gitstore_say_doing), since a
 * journal has only what is done.
 */
#ifndef CMD_SESSION_DOING_H
#define CMD_SESSION_DOING_H

#include "core/run/evolve.h"
#include "gitstore/gitstore.h"

/* Says each event, and tells it the next listener. */
struct doing_teller {
	struct evolve_listener listener; /* first: the callback casts back */
	struct evolve_listener *next;
	struct gitstore *git;
	const char *run; /* all three borrowed */
	char *spent;	 /* what models used so far; NULL: nothing yet */
};

void doing_teller_init(struct doing_teller *t, struct evolve_listener *next,
		       struct gitstore *g, const char *run);
void doing_teller_release(struct doing_teller *t);

/* What a process said of itself. Its text may be anything. */
struct doing {
	int64_t since_us; /* 0: nothing was said */
	char *text;	  /* "scoring #12: unroll by four" */
	char *spent;	  /* NULL: no model was asked */
};
void doing_read(struct doing *out, const struct gitstore *g, const char *run);
void doing_release(struct doing *d);

DEFINE_RELEASE(doing_teller, struct doing_teller, doing_teller_release)
#define cleanup_doing_teller CLEANUP(doing_teller)
DEFINE_RELEASE(doing, struct doing, doing_release)
#define cleanup_doing CLEANUP(doing)

#endif
