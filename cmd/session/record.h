/* Everything known about one candidate: its commit, and its data in the
 * journals and its note. */
#ifndef CMD_SESSION_RECORD_H
#define CMD_SESSION_RECORD_H

#include "gitstore/gitstore.h"

/* What a role of the operator made for a candidate. */
struct role_note {
	enum role role;
	char *line, *text;  /* the second may be NULL */
	struct spend spend; /* of its talk */
};

struct candidate_record {
	struct commit_info commit;
	char run[RUN_NAME_MAX + 1]; /* "@" outside a run; "" if unknown */
	int64_t number;		    /* of the attempt; 0 for none */
	char *subject, *hypothesis; /* NULL if unknown */
	struct commit_id after;
	char *artefacts; /* ids of entries: entry.artefacts */
	/* By record_read_roles, in order of the work. */
	struct role_note *note;
	size_t n_notes, cap_notes;
	bool accepted, crowned;
	const char *only; /* record_read_on: the kind; borrowed */
	/* The newest; NULL if it was never measured. */
	struct measurement *measurement;
	/* Of the measurements with a win, the newest, and that of its newest
	 * crown; NULL: none is known here. */
	struct measurement *winning, *crowning;
	/* If the note only has scores of other sources: the newest of those.
	 * Its "of" names the candidate that was measured. */
	struct measurement *others;
};

/* `run` is the run to look in. If it is "": the run that the commit's message
 * names, else a run in which it is an attempt and not the start. */
struct error *record_read(struct candidate_record *out, struct gitstore *g,
			  const char *id, const char *run) MUST_CHECK;
/* The same with the newest measurement that this kind of machine made, by its id,
 * in place of the newest. */
struct error *record_read_on(struct candidate_record *out, struct gitstore *g,
			     const char *id, const char *run,
			     const char *kind) MUST_CHECK;
/* Reads what the roles made for it: plan, review, debugging, search. What is
 * missing in this clone is left out. */
struct error *record_read_roles(struct candidate_record *r,
				struct gitstore *g) MUST_CHECK;
/* The runs that may know a commit with this message: the one that it names, else
 * all. */
struct error *record_runs(struct strvec *out, struct gitstore *g,
			  const char *message) MUST_CHECK;
/* The comparison with the champion of its moment: a crown is won by it. NULL if
 * there is none. Borrowed. */
const struct comparison *record_crown_rival(const struct measurement *m);
/* The start of the run, if `m`, a score of an attempt of it, is compared with the
 * start in place of a champion: a run that has none yet does so. Else *out stays. */
struct error *record_start(struct commit_id *out, struct gitstore *g,
			   const struct measurement *m,
			   const char *run) MUST_CHECK;
/* Writes a score made outside a run to the journal and the commit's note. */
struct error *record_keep(struct gitstore *g, const char *id,
			  const struct measurement *m) MUST_CHECK;
void record_release(struct candidate_record *r);

DEFINE_RELEASE(record, struct candidate_record, record_release)
#define cleanup_record CLEANUP(record)

#endif
