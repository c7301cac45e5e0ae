#include "scorer/host/reference_memory.h"

#include "scorer/wire/set.h"

static size_t whole_pages(size_t bytes)
{
	return (bytes + LAYOUT_PAGE - 1) / LAYOUT_PAGE * LAYOUT_PAGE;
}

/* The outputs lie one after another, each from a page on. */
static void place_outputs(struct entry_call *c, bool wide)
{
	size_t at = 0;

	c->batch = 1;
	c->has_inout = false;
	for (size_t i = 0; i < c->layout.n; i++) {
		struct tensor_layout *t = &c->layout.arg[i].tensor;
		size_t elements;

		if (!c->layout.arg[i].is_tensor || t->region != REGION_OUTPUT)
			continue;
		elements = t->bytes / dtype_bytes(t->dtype);
		if (wide && dtype_is_float(t->dtype))
			t->dtype = DTYPE_F64;
		t->bytes = elements * dtype_bytes(t->dtype);
		t->begin = t->offset = at;
		at += whole_pages(t->bytes);
		t->end = at;
	}
	c->layout.region_bytes[REGION_OUTPUT] = at;
}

struct error *reference_memory_open(struct reference_memory *m,
				    const struct entry_call *c, bool plain)
{
	static const char *const names[] = {"reference", "plain"};

	struct values_request *q = &m->request;

	reference_memory_release(m);
	*q = (struct values_request){.head = {.kind = MESSAGE_VALUES},
				     .inputs_bytes = entry_call_inputs_bytes(c),
				     .call = {*c, *c}};
	place_outputs(&q->call[0], true);
	place_outputs(&q->call[1], false);
	TRY(sized_memfd(&m->fd[0], "inputs", q->inputs_bytes));
	for (size_t k = 0; k < (plain ? 2 : 1); k++)
		TRY(sized_memfd(&m->fd[1 + k], names[k],
				entry_call_outputs_bytes(&q->call[k])));
	return NULL;
}

void reference_memory_release(struct reference_memory *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(m->fd); i++)
		cleanup_fd_fn(&m->fd[i]);
}
