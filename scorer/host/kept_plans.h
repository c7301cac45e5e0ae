/*
 * Plans of the rivals of a search, for comparisons to come. A process that
 * captures a rival is asked for several plans of each case, each at addresses
 * of its own, and each comparison takes one set of them: so only one comparison
 * in some needs such a process, which opens the card. No process is kept, and no
 * addresses come twice.
 */
#ifndef SCORER_HOST_KEPT_PLANS_H
#define SCORER_HOST_KEPT_PLANS_H

#include "scorer/wire/gpu_protocol.h"

#define KEPT_SETS 8

/* All zero: none. kept_plans_clear disposes. */
struct kept_plans {
	char *whose;	/* the rivals that were seen last, by name; owned */
	size_t n_plans; /* of a set: of each rival one a case */
	struct kept_set {
		struct gpu_addresses at;
		int *plan; /* memfds, or -1; owned */
	} set[KEPT_SETS];
	size_t n; /* whole sets */
};

/* Are these the rivals that were seen last? Other ones have no plans yet, and
 * are those seen last from now on. */
bool kept_plans_know(struct kept_plans *k, const char *whose);
/* Begins KEPT_SETS sets in place of what there was, of the same rivals: the caller
 * sets `at` and `plan` of each, and then n. */
void kept_plans_begin(struct kept_plans *k, size_t n_plans);
/* Hands the last set over: its addresses, and n_plans plans, which the caller
 * closes. False: there is none. */
bool kept_plans_take(struct gpu_addresses *at, int *plan, struct kept_plans *k);
void kept_plans_clear(struct kept_plans *k);

#endif
