#include "scorer/runner/value_memory.h"

#include <sys/mman.h>

static const char *shared_inputs(struct elsewhere *self, unsigned char **inputs,
				 size_t bytes)
{
	struct value_memory *v = (struct value_memory *)self;

	if (v->inputs.bytes != bytes)
		return "the memory of the reference is of another launch";
	*inputs = v->inputs.base;
	return NULL;
}

/* The tensors that a side writes to. */
static bool is_written(const struct entry_call *c, size_t i)
{
	return c->layout.arg[i].is_tensor &&
	       (c->layout.arg[i].tensor.region == REGION_OUTPUT ||
		c->layout.arg[i].tensor.region == REGION_WORKSPACE);
}

static unsigned char *written(const struct value_memory *v, enum side side,
			      size_t i)
{
	const struct layout *l = &v->call[side].layout;
	unsigned char *region = v->outputs[side].base;

	if (l->arg[i].tensor.region == REGION_WORKSPACE)
		region += l->region_bytes[REGION_OUTPUT];
	return region + l->arg[i].tensor.offset;
}

/* Between the arrays of a side and the shared memory. */
static const char *exchange(struct value_memory *v, struct reference *r,
			    enum side side, bool bring)
{
	for (size_t i = 0; i < r->call.layout.n; i++) {
		struct mapping *array = &r->array[side][i];

		if (!is_written(&r->call, i))
			continue;
		if (!is_written(&v->call[side], i) ||
		    v->call[side].layout.arg[i].tensor.bytes != array->bytes)
			return "the memory of the reference is of another "
			       "launch";
		if (bring)
			memcpy(array->base, written(v, side, i), array->bytes);
		else
			memcpy(written(v, side, i), array->base, array->bytes);
	}
	return NULL;
}

/* The scorer has the call done and says so. */
static const char *ask_for_call(struct value_memory *v, enum side side)
{
	struct call_reply reply = {
		.head = {MESSAGE_CALL, v->served->head.sequence}, .side = side};
	int fd[CHANNEL_MAX_FDS];

	channel_send(&reply, sizeof reply);
	if (!channel_receive(&v->called, fd) ||
	    v->called.head.kind != MESSAGE_CALLED)
		return "the reference was not called";
	v->served->head.sequence = v->called.head.sequence;
	return NULL;
}

static const char *call_there(struct elsewhere *self, struct reference *r,
			      enum side side, unsigned char *inputs,
			      uint32_t index, const struct segment *s)
{
	struct value_memory *v = (struct value_memory *)self;
	size_t bytes = entry_call_inputs_bytes(&r->call);
	unsigned char *mine;
	const char *why = shared_inputs(self, &mine, bytes);

	(void)s; /* all rows are computed */
	if (why)
		return why;
	if (bytes && inputs != mine)
		memcpy(mine, inputs + index * bytes, bytes);
	reference_reset(r, side, mine, 0, NULL);
	why = exchange(v, r, side, false);
	if (!why)
		why = v->ask(v, side);
	return why ? why : exchange(v, r, side, true);
}

void value_memory_init(struct value_memory *v, union runner_request *served)
{
	v->elsewhere = (struct elsewhere){.allocate = shared_inputs,
					  .call = call_there};
	v->ask = ask_for_call;
	v->served = served;
}

const char *value_memory_map(struct value_memory *v,
			     const struct values_request *q, const int fd[3])
{
	const char *why;

	memcpy(v->call, q->call, sizeof v->call);
	why = mapping_plain(&v->inputs, fd[0], q->inputs_bytes,
			    PROT_READ | PROT_WRITE);
	for (size_t k = 0; !why && k < 2; k++)
		if (fd[1 + k] >= 0)
			why = mapping_plain(
				&v->outputs[k], fd[1 + k],
				entry_call_outputs_bytes(&v->call[k]),
				PROT_READ | PROT_WRITE);
	return why;
}

void value_memory_release(struct value_memory *v)
{
	mapping_release(&v->inputs);
	for (size_t k = 0; k < 2; k++)
		mapping_release(&v->outputs[k]);
}
