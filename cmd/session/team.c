#include "cmd/session/team.h"

#include "agent/tuner/tuner.h"
#include "scorer/device/machine.h"

void team_release(struct team *t)
{
	for (size_t i = 0; i < t->n; i++) {
		operator_free(t->member[i].operator_);
		operator_free(t->member[i].tuner);
		choice_release(&t->member[i].choice);
	}
	free(t->member);
	free(t->how.operator_);
	free(t->how.tuner);
	*t = (struct team){0};
}

static struct error *check_numbers(const struct team_request *r)
{
	if (r->agents > TEAM_MAX || r->in_order > TEAM_MAX)
		return error_new(ERROR_USAGE,
				 "a run has at most %d agents: give a smaller "
				 "--%s",
				 TEAM_MAX,
				 r->agents > TEAM_MAX ? "agents" : "in-order");
	if (r->in_order && r->agents > r->in_order)
		return error_new(ERROR_USAGE,
				 "--in-order %zu has no work for %zu agents: "
				 "give a smaller --agents",
				 r->in_order, r->agents);
	return NULL;
}

static struct error *choose_islands(struct island_rules *out,
				    const struct team_request *r, size_t agents,
				    const struct task *task)
{
	*out = task->islands;
	out->count = r->islands ? r->islands : MIN(out->count, agents);
	if (r->islands <= MAX(agents, 1))
		return NULL;
	return error_new(ERROR_USAGE,
			 "--islands %zu has no agent for each: give --agents "
			 "%zu or more",
			 r->islands, r->islands);
}

/* The tuner and a person do not think; what has a client has one. */
static struct error *check_operator(const struct variation_operator *op,
				    const struct team_request *r)
{
	if (!str_eq(op->name, "llm") && !str_eq(op->name, "command") &&
	    !str_eq(op->name, "replay"))
		return error_new(ERROR_REFUSED,
				 "the operator '%s' waits for nothing, so "
				 "several of it are not faster than one: leave "
				 "--agents and --in-order out, or name another "
				 "--operator",
				 op->name);
	if (r->choice->record)
		return error_new(ERROR_USAGE,
				 "a recording is of one agent: leave --record "
				 "or --agents out");
	return NULL;
}

static struct error *make_member(struct team_member *m, struct session *s,
				 const struct team_request *r)
{
	TRY(choice_operator(&m->operator_, &m->choice, s, r->choice,
			    r->budget));
	return tuner_new(&m->tuner, s->at.task);
}

struct error *team_make(struct team *out, struct session *s,
			const struct variation_operator *op,
			const struct team_request *r)
{
	size_t n = MAX(r->agents, r->in_order);
	struct island_rules islands;

	TRY(check_numbers(r));
	TRY(choose_islands(&islands, r, n, s->at.task));
	if (n <= 1)
		return NULL;
	TRY(check_operator(op, r));
	out->member = xcalloc(n, sizeof *out->member);
	out->how = (struct evolve_agents){
		.n = n,
		.operator_ = xcalloc(n, sizeof *out->how.operator_),
		.tuner = xcalloc(n, sizeof *out->how.tuner),
		.in_order = r->in_order ? MAX(r->agents, 1) : 0,
		.builds = r->builds ? r->builds : machine_cpus(),
		.islands = islands,
	};
	for (size_t i = 0; i < n; i++) {
		out->n++;
		TRY(make_member(&out->member[i], s, r));
		out->how.operator_[i] = out->member[i].operator_;
		out->how.tuner[i] = out->member[i].tuner;
	}
	return NULL;
}
