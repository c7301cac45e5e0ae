/*
 * What a scoring does at the moment, for a person who waits: the scorer says it,
 * and another thread reads it at any time. Nothing is decided by it.
 */
#ifndef CORE_RUN_STAGE_H
#define CORE_RUN_STAGE_H

#include <stdatomic.h>

#include "core/base/base.h"

enum stage_kind {
	STAGE_NONE,
	STAGE_QUEUE, /* another program has the CPUs, or the card */
	STAGE_BUILD,
	STAGE_CHECK,
	STAGE_TIME,
	STAGE_THINK, /* not of a scorer: an operator, a model */
	STAGE_COUNT,
};

struct work_stage {
	_Atomic int kind;
	_Atomic int share; /* thousandths that are done; -1: not known */
	_Atomic int64_t since_us;
	/* How long those of a kind took of late; 0: there was none. */
	_Atomic int64_t usual_us[STAGE_COUNT];
};

/* Ends the stage before it. NULL is allowed, here and below. */
void stage_begin(struct work_stage *s, enum stage_kind kind);
/* How much of it is done, from 0 to 1. */
void stage_done(struct work_stage *s, double share);

struct stage_view {
	enum stage_kind kind;
	double seconds; /* since it began */
	double share;	/* negative: not known */
	double usual;	/* seconds; 0: not known */
};
struct stage_view stage_look(const struct work_stage *s);

#endif
