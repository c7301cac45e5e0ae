/*
 * The candidates that the operator can do nothing with: what it refuses to
 * vary (a tuner needs tunables), and what it has tried all of. None is a
 * parent. Known for as long as a process varies: another operator may be able
 * to, so the journal has nothing of it.
 */
#ifndef CORE_RUN_BARREN_H
#define CORE_RUN_BARREN_H

#include "core/run/archive.h"
#include "core/run/variation.h"

struct barren {
	struct variation_operator *operator_; /* borrowed, as the archive */
	struct archive *archive;
	signed char *known; /* an attempt each: 0 not asked, 1 no, -1 yes */
	size_t n;
	/* Why it refused the last one, as long as it has tried none; NULL. */
	char *why;
	bool tried;
};

/* Can nothing be made of this attempt? Asks the operator once. `b` may be
 * NULL: of each something can be made. */
struct error *barren_ask(bool *out, struct barren *b,
			 const struct population *p, size_t attempt) MUST_CHECK;
/* It is known to be: without asking. */
bool barren_known(const struct barren *b, size_t attempt);
/* The operator has tried all that it could make of it. */
void barren_mark(struct barren *b, size_t attempt);
void barren_release(struct barren *b);

#endif
