/* Everything that is known of one candidate: its commit, and what the
 * journals and its note say of it. */
#ifndef CMD_SESSION_RECORD_H
#define CMD_SESSION_RECORD_H

#include "gitstore/gitstore.h"

struct candidate_record {
	struct commit_info commit;
	char run[RUN_NAME_MAX + 1]; /* "@" outside a run; "" if unknown */
	int64_t number;		    /* of the attempt; 0 for none */
	char *subject, *hypothesis; /* NULL if unknown */
	struct commit_id after;
	bool accepted, crowned;
	/* The newest; NULL if it was never measured. */
	struct measurement *measurement;
	/* Its note has scores of other sources, where it has none of its own:
	 * the newest of those. "of" in it names the candidate they are of. */
	struct measurement *others;
};

/* `run` is the run that it is looked at in; "": the one its message names, else
 * one in which it is an attempt and not the start. */
struct error *record_read(struct candidate_record *out, struct gitstore *g,
			  const char *id, const char *run) MUST_CHECK;
/* Puts what was scored by hand, outside any run, into the journal and the
 * note of the commit. */
struct error *record_keep(struct gitstore *g, const char *id,
			  const struct measurement *m) MUST_CHECK;
void record_release(struct candidate_record *r);

DEFINE_RELEASE(record, struct candidate_record, record_release)
#define cleanup_record CLEANUP(record)

#endif
