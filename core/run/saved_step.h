/*
 * A step of an operator in the middle: enough to go on with it after this
 * process was killed. It is saved beside the repository (archive.save_step),
 * not in the journal: it is private work in progress, and no other clone needs
 * it. Without it the run goes on with a new step.
 */
#ifndef CORE_RUN_SAVED_STEP_H
#define CORE_RUN_SAVED_STEP_H

#include "core/base/fileset.h"
#include "core/base/json.h"
#include "core/run/commit_id.h"
#include "core/run/spend.h"

struct saved_step {
	bool there; /* false: nothing is saved, all else is zero */
	int64_t lineage;
	struct commit_id after; /* candidate that the workspace was edited on */
	uint64_t seed;
	size_t attempts;    /* that the run had, with its base */
	int64_t time_us;    /* of the newest entry of the run */
	struct spend spend; /* since that entry */
	double seconds;	    /* of work on the run in all */
	struct fileset sources;
	char *operator_name; /* whose `state` is */
	char *state;	     /* JSON text of the operator's own */
};

void saved_step_release(struct saved_step *s);
DEFINE_RELEASE(saved_step, struct saved_step, saved_step_release)
#define cleanup_saved_step CLEANUP(saved_step)

/* As JSON text, with files of any bytes. free() disposes. */
char *saved_step_print(const struct saved_step *s) MUST_CHECK;
/* ERROR_MALFORMED for text that saved_step_print did not write. */
struct error *saved_step_parse(struct saved_step *out, const char *text,
			       size_t len) MUST_CHECK;

#endif
