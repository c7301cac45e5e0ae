/*
 * The barren candidates: the operator refuses to vary them (a tuner needs
 * tunables), or has tried all it can make of them. They do not become parents.
 * Kept in memory only: another operator may be able to vary them, so the
 * journal does not record it.
 */
#ifndef CORE_RUN_BARREN_H
#define CORE_RUN_BARREN_H

#include "core/run/archive.h"
#include "core/run/variation.h"

struct barren {
	struct variation_operator *operator_; /* borrowed, as the archive is */
	struct archive *archive;
	signed char *known; /* each attempt: 0 not asked, 1 no, -1 yes */
	size_t n;
	/* Why it refused the last one; NULL once it has tried any. */
	char *why;
	bool tried;
};

/* *out: is this attempt barren? Asks the operator once for each attempt. If `b`
 * is NULL, no attempt is barren. */
struct error *barren_ask(bool *out, struct barren *b,
			 const struct population *p, size_t attempt) MUST_CHECK;
/* Is it known to be barren? Does not ask the operator. */
bool barren_known(const struct barren *b, size_t attempt);
/* The operator has tried everything that it could make of this attempt. */
void barren_mark(struct barren *b, size_t attempt);
void barren_release(struct barren *b);

#endif
