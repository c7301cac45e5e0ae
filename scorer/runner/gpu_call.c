#include "scorer/runner/gpu_call.h"

#include "scorer/runner/call.h"

/* Element 0 of argument i in image k. */
static void *address_of(const struct call *c, const struct gpu_place *p,
			size_t i, uint32_t k)
{
	const struct tensor_layout *t = &c->layout.arg[i].tensor;
	uint64_t at;

	if (t->region == REGION_INPUT)
		at = p->inputs_at + k * p->inputs_bytes + t->offset;
	else
		at = p->outputs_at + k * p->outputs_bytes + t->offset +
		     (t->region == REGION_WORKSPACE
			      ? c->layout.region_bytes[REGION_OUTPUT]
			      : 0);
	return (void *)(uintptr_t)at;
}

const char *gpu_call(const struct call *c, const struct gpu_place *p,
		     uint32_t image, function entry, CUstream stream)
{
	const char *why;
	cleanup_invocation struct invocation *v = invocation_new(&why, c, 1);

	if (why)
		return why;
	for (size_t i = 0; i < c->layout.n; i++)
		if (c->layout.arg[i].is_tensor)
			invocation_set_tensor(v, i, address_of(c, p, i, image));
	invocation_set_extra(v, 0, (int64_t)(intptr_t)stream);
	invocation_run(v, entry);
	return NULL;
}
