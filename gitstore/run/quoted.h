/*
 * Decides whether figures belong to a commit. A note may be on a commit with
 * another kernel than the measured one: a cherry-pick that was resolved by
 * hand, or a note that git copied to an amended commit. The decision uses the
 * sources that the measurement names, or the blobs of the candidate it quotes.
 */
#ifndef GITSTORE_RUN_QUOTED_H
#define GITSTORE_RUN_QUOTED_H

#include "gitstore/gitstore.h"

enum quoted {
	QUOTED_OWN,	/* the commit has the measured sources */
	QUOTED_OTHERS,	/* it has others */
	QUOTED_UNKNOWN, /* it cannot be decided here */
};

/* `of`: the candidate that is quoted, NULL for a measurement that claims to be
 * the commit's own; `run`: its task names the sources, "" if unknown. */
struct error *gitstore_quoted(enum quoted *out, struct gitstore *g,
			      const char *commit, const struct measurement *m,
			      const char *of, const char *run) MUST_CHECK;

/* The newest measurement of the commit's note that is wanted (NULL: any), and
 * whose sources are the commit's or cannot be compared; NULL in *out if there
 * is none. *others, unless NULL: the newest of other sources, if there is none
 * of the commit's own. */
struct error *gitstore_note_own(
	struct measurement **out, struct measurement **others,
	struct gitstore *g, const char *commit,
	bool (*wanted)(const struct measurement *m)) MUST_CHECK;

#endif
