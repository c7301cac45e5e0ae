#include "scorer/runner/candidate.h"

#include <sys/mman.h>

#include "scorer/runner/call.h"
#include "scorer/runner/mapping.h"

struct launch {
	struct call call;
	struct mapping inputs, outputs;
	struct invocation *invocation;
	bool empty;
	bool ready;
};

static void do_nothing(void)
{
}

/* Points the arguments of one region group at image `index`. */
static void aim(struct launch *l, const struct mapping *m, unsigned mask,
		uint32_t index)
{
	const struct layout *layout = &l->call.layout;

	for (size_t i = 0; i < layout->n; i++)
		if (layout->arg[i].is_tensor &&
		    (mask & (1U << layout->arg[i].tensor.region)))
			invocation_set_tensor(l->invocation, i,
					      mapping_tensor(m, &l->call, i,
							     index));
}

static const char *prepare(struct launch *l, const struct prepare_request *r,
			   int outputs)
{
	const char *why;

	mapping_release(&l->inputs);
	l->ready = false;
	l->call = r->call;
	l->empty = r->empty;
	invocation_free(l->invocation);
	l->invocation = invocation_new(&why, &l->call, 0);
	if (!why)
		why = mapping_guarded(&l->outputs, outputs, &l->call,
				      OUTPUTS_MASK,
				      call_outputs_bytes(&l->call),
				      PROT_READ | PROT_WRITE, r->outputs_at);
	l->ready = !why;
	return why;
}

static const char *go(struct launch *l, const struct go_request *r, int inputs,
		      function entry)
{
	const char *why;

	if (!l->ready)
		return "GO without PREPARE";
	l->ready = false;
	why = mapping_guarded(&l->inputs, inputs, &l->call, INPUTS_MASK,
			      call_inputs_bytes(&l->call), PROT_READ,
			      r->inputs_at);
	if (why)
		return why;
	for (uint32_t k = 0; k < l->call.batch; k++) {
		aim(l, &l->inputs, INPUTS_MASK, k);
		aim(l, &l->outputs, OUTPUTS_MASK, k);
		invocation_run(l->invocation, l->empty ? do_nothing : entry);
	}
	return NULL;
}

void candidate_serve(union request *r, function entry)
{
	struct launch launch = {0};
	int fd[CHANNEL_MAX_FDS];

	while (channel_receive(r, fd)) {
		cleanup_fd int first = fd[0], second UNUSED = fd[1];
		const char *why = "not a request for a candidate";
		bool going = r->head.kind == MESSAGE_GO;

		if (going)
			why = go(&launch, &r->go, first, entry);
		else if (r->head.kind == MESSAGE_PREPARE)
			why = prepare(&launch, &r->prepare, first);
		if (why)
			channel_refuse(r, why);
		else
			channel_reply(r,
				      going ? MESSAGE_DONE : MESSAGE_PREPARED);
	}
	invocation_free(launch.invocation);
	mapping_release(&launch.inputs);
	mapping_release(&launch.outputs);
}
