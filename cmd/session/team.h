/* The operators of several agents on one run: `avogit evolve --agents N`. */
#ifndef CMD_SESSION_TEAM_H
#define CMD_SESSION_TEAM_H

#include "cmd/session/choice.h"
#include "core/run/evolve.h"

#define TEAM_MAX 64

struct team_request {
	/* Of the command line; 0: not given. */
	size_t agents, in_order, builds, islands;
	const struct choice_options *choice;
	const struct budget_limits *budget;
};

struct team_member {
	struct variation_operator *operator_, *tuner;
	struct operator_choice choice; /* what the operator borrows */
};

struct team {
	struct team_member *member;
	size_t n;
	struct evolve_agents how; /* borrows the members; n 0: one agent */
};

/* Makes an operator for each agent, of the kind of `op`; none for one agent
 * that takes no turns. The islands of the task are as many as there are agents
 * for, those of the command line have one each, or ERROR_USAGE for numbers that
 * make no sense;
 * ERROR_REFUSED for an operator that does not wait for anything. */
struct error *team_make(struct team *out, struct session *s,
			const struct variation_operator *op,
			const struct team_request *request) MUST_CHECK;
void team_release(struct team *t);

#endif
