#include "scorer/runner_gpu/call.h"

#include "scorer/runner/call.h"

/* Element 0 of argument i in image k. */
static void *address_of(const struct entry_call *c,
			const struct gpu_addresses *p, size_t i, uint32_t k)
{
	const struct tensor_layout *t = &c->layout.arg[i].tensor;
	uint64_t at = t->offset;

	if (t->region == REGION_INPUT)
		at += p->inputs_at + k * p->inputs_bytes;
	else if (t->region == REGION_PREPARED)
		at += p->prepared_at + k * p->prepared_bytes;
	else
		at += p->outputs_at + k * p->outputs_bytes;
	if (t->region == REGION_WORKSPACE)
		at += c->layout.region_bytes[REGION_OUTPUT];
	return (void *)(uintptr_t)at;
}

/* `shown`: for each argument, whether its pointer is given; NULL: all are. */
static const char *call_with(const struct entry_call *c,
			     const struct gpu_addresses *p, uint32_t image,
			     const bool *shown, function f, CUstream stream)
{
	const char *why;
	cleanup_invocation struct invocation *v =
		invocation_new(&why, c, 1, false);

	if (why)
		return why;
	for (size_t i = 0; i < c->layout.n; i++)
		if (c->layout.arg[i].is_tensor)
			invocation_set_tensor(
				v, i,
				!shown || shown[i] ? address_of(c, p, i, image)
						   : NULL);
	invocation_set_extra(v, 0, (int64_t)(intptr_t)stream);
	invocation_run(v, f);
	return NULL;
}

const char *gpu_call(const struct entry_call *c, const struct gpu_addresses *p,
		     uint32_t image, function entry, CUstream stream)
{
	return call_with(c, p, image, NULL, entry, stream);
}

const char *gpu_call_prepare(const struct entry_call *c,
			     const struct gpu_addresses *p, uint32_t image,
			     const bool *is_static, function prepare,
			     CUstream stream)
{
	bool shown[TASK_MAX_ARGS];

	for (size_t i = 0; i < c->layout.n; i++)
		shown[i] = is_static[i] ||
			   c->layout.arg[i].tensor.region == REGION_PREPARED;
	return call_with(c, p, image, shown, prepare, stream);
}
