/* A candidate as the loop uses it: a commit, and the files a build needs. */
#ifndef CORE_RUN_CANDIDATE_H
#define CORE_RUN_CANDIDATE_H

#include "core/base/fileset.h"
#include "core/run/commit_id.h"

struct candidate {
	struct commit_id id;
	/* The files of the sources (the candidate's) and of the include folders
	 * (the base's), with paths from the top of the repository. */
	struct fileset files;
	char sources_id[FILESET_ID_LEN + 1]; /* of the sources alone */
};

void candidate_release(struct candidate *c);
DEFINE_RELEASE(candidate, struct candidate, candidate_release)
#define cleanup_candidate CLEANUP(candidate)

#endif
