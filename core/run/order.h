/*
 * What a run that is being extended asks another machine to do with one
 * candidate (core/run/job.h): a score_request in words that travel. Its first
 * order asks only what machine it is.
 */
#ifndef CORE_RUN_ORDER_H
#define CORE_RUN_ORDER_H

#include "core/base/json.h"
#include "core/run/commit_id.h"
#include "core/run/evaluator.h"

#define ORDER_RIVALS 2

struct score_order {
	char *task; /* path of the task file at `base`; NULL: no order */
	struct commit_id base;
	bool about; /* say what machine it is, and measure nothing */
	struct {
		enum rival as;
		struct commit_id id;
	} rival[ORDER_RIVALS];
	size_t n_rivals;
	bool thorough, baselines, winners_only, patient, confirm;
	unsigned sanitizers;
};

/* What is asked of it; not task, base and candidate. ERROR_INTERNAL for more
 * rivals than an order has room for. */
struct error *order_from_request(struct score_order *out,
				 const struct score_request *r) MUST_CHECK;
void order_copy(struct score_order *out, const struct score_order *from);
void order_release(struct score_order *o);

struct json *order_to_json(const struct score_order *o) MUST_CHECK;
/* False if order_to_json did not write it. Fills *out (zeroed), which the caller
 * releases whatever happens. */
bool order_from_json(struct score_order *out, const struct json *j);

/* The machine that answers. */
struct far_machine {
	char kind[IDENTITY_HEX_LEN + 1]; /* as in an identity; "": not said */
	char *name;
	char *about; /* evaluator.machine_about */
};
void far_machine_release(struct far_machine *m);

struct json *far_machine_to_json(const struct far_machine *m) MUST_CHECK;
bool far_machine_from_json(struct far_machine *out, const struct json *j);

struct json *rival_failure_to_json(const struct rival_failure *f) MUST_CHECK;
/* False, too, for a rival that the order does not have, and one that passed. */
bool rival_failure_from_json(struct rival_failure *out, const struct json *j,
			     const struct score_order *o);

#endif
