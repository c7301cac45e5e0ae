/*
 * Whose figures are they? A note may stand on a commit whose kernel is another
 * than the one that was measured: a cherry-pick that was resolved by hand, a
 * note that git copied along with an amended commit. What decides are the
 * sources that the measurement names, or the blobs of the candidate it quotes.
 */
#ifndef GITSTORE_RUN_QUOTED_H
#define GITSTORE_RUN_QUOTED_H

#include "gitstore/gitstore.h"

enum quoted {
	QUOTED_OWN,	/* the sources of the commit are those measured */
	QUOTED_OTHERS,	/* they are not */
	QUOTED_UNKNOWN, /* nothing here tells */
};

/* `of`: the candidate that is quoted, NULL for what claims to be the commit's
 * own; `run`: whose task names the sources, "" where that is not known. */
struct error *gitstore_quoted(enum quoted *out, struct gitstore *g,
			      const char *commit, const struct measurement *m,
			      const char *of, const char *run) MUST_CHECK;

/* The newest measurement of the commit's note that is wanted (NULL: any) and whose sources are the commit's,
 * or of which that cannot be told; NULL in *out where there is none. *others,
 * not NULL: the newest of other sources, where there is none of the commit's
 * own. */
struct error *gitstore_note_own(
	struct measurement **out, struct measurement **others,
	struct gitstore *g, const char *commit,
	bool (*wanted)(const struct measurement *m)) MUST_CHECK;

#endif
