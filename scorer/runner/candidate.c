#include "scorer/runner/candidate.h"

#include <sys/mman.h>

#include "scorer/runner/call.h"
#include "scorer/runner/mapping.h"

struct launch {
	struct call call;
	struct mapping inputs, outputs;
	struct mapping prepared; /* lives from one SETTLE to the next */
	struct invocation *invocation;
	bool empty;
	bool ready;
};

static void do_nothing(void)
{
}

/* Points the arguments of one region group at image `index`. */
static void aim(struct invocation *v, const struct call *c,
		const struct mapping *m, unsigned mask, uint32_t index)
{
	for (size_t i = 0; i < c->layout.n; i++)
		if (c->layout.arg[i].is_tensor &&
		    (mask & (1U << c->layout.arg[i].tensor.region)))
			invocation_set_tensor(v, i,
					      mapping_tensor(m, c, i, index));
}

/* Nothing but the static inputs, once, and what is made of them. */
static const char *settle(struct launch *l, const struct settle_request *q,
			  int inputs_fd, function prepare)
{
	cleanup_mapping struct mapping inputs = {0};
	cleanup_invocation struct invocation *v = NULL;
	struct call one = q->call;
	const char *why;

	one.batch = 1;
	v = invocation_new(&why, &one, 0);
	if (!why)
		why = mapping_guarded(&l->prepared, -1, &one, PREPARED_MASK, 0,
				      PROT_READ | PROT_WRITE, q->prepared_at);
	if (!why)
		why = mapping_guarded(&inputs, inputs_fd, &one, INPUTS_MASK,
				      call_inputs_bytes(&one), PROT_READ,
				      q->inputs_at);
	if (why || !prepare)
		return why;
	for (size_t i = 0; i < one.layout.n; i++)
		if (q->is_static[i])
			invocation_set_tensor(
				v, i, mapping_tensor(&inputs, &one, i, 0));
	aim(v, &one, &l->prepared, PREPARED_MASK, 0);
	invocation_run(v, prepare);
	return NULL;
}

static const char *get_ready(struct launch *l, const struct ready_request *q,
			     int outputs)
{
	const char *why;

	mapping_release(&l->inputs);
	l->ready = false;
	l->call = q->call;
	l->empty = q->empty;
	invocation_free(l->invocation);
	l->invocation = invocation_new(&why, &l->call, 0);
	if (!why)
		why = mapping_guarded(&l->outputs, outputs, &l->call,
				      OUTPUTS_MASK,
				      call_outputs_bytes(&l->call),
				      PROT_READ | PROT_WRITE, q->outputs_at);
	l->ready = !why;
	return why;
}

static const char *go(struct launch *l, const struct go_request *q, int inputs,
		      function entry)
{
	const char *why;

	if (!l->ready)
		return "GO without READY";
	l->ready = false;
	why = mapping_guarded(&l->inputs, inputs, &l->call, INPUTS_MASK,
			      call_inputs_bytes(&l->call), PROT_READ,
			      q->inputs_at);
	if (why)
		return why;
	if (l->prepared.base)
		aim(l->invocation, &l->call, &l->prepared, PREPARED_MASK, 0);
	for (uint32_t k = 0; k < l->call.batch; k++) {
		aim(l->invocation, &l->call, &l->inputs, INPUTS_MASK, k);
		aim(l->invocation, &l->call, &l->outputs, OUTPUTS_MASK, k);
		invocation_run(l->invocation, l->empty ? do_nothing : entry);
	}
	return NULL;
}

void candidate_serve(union request *r, function entry, function prepare)
{
	struct launch launch = {0};
	int fd[CHANNEL_MAX_FDS];

	while (launch.ready ? channel_receive_awake(r, fd)
			    : channel_receive(r, fd)) {
		cleanup_fd int first = fd[0], second UNUSED = fd[1];
		const char *why = "not a request for a candidate";
		enum message_kind done = MESSAGE_DONE;

		if (r->head.kind == MESSAGE_GO) {
			why = go(&launch, &r->go, first, entry);
		} else if (r->head.kind == MESSAGE_READY) {
			why = get_ready(&launch, &r->ready, first);
			done = MESSAGE_IS_READY;
		} else if (r->head.kind == MESSAGE_SETTLE) {
			why = settle(&launch, &r->settle, first, prepare);
			done = MESSAGE_SETTLED;
		}
		if (why)
			channel_refuse(r, why);
		else
			channel_reply(r, done);
	}
	invocation_free(launch.invocation);
	mapping_release(&launch.inputs);
	mapping_release(&launch.outputs);
	mapping_release(&launch.prepared);
}
