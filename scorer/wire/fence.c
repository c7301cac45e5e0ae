#include "scorer/wire/fence.h"

#define REGION_MAX ((size_t)4 << 30)

static struct error *place(size_t *region, struct tensor_layout *t,
			   size_t alignment)
{
	size_t pages = (t->bytes + FENCE_PAGE - 1) / FENCE_PAGE;

	size_t step = MAX(alignment, FENCE_PAGE);

	t->begin = (*region + FENCE_PAGE + step - 1) / step * step;
	t->end = t->begin + pages * FENCE_PAGE;
	t->offset = (t->end - t->bytes) / alignment * alignment;
	if (t->end > REGION_MAX)
		return error_new(ERROR_TOO_BIG,
				 "with a fence round each tensor the arguments "
				 "are larger than 4 GiB");
	*region = t->end;
	return NULL;
}

struct error *fence_layout(struct layout *l, const struct task *t)
{
	memset(l->region_bytes, 0, sizeof l->region_bytes);
	for (size_t i = 0; i < l->n; i++) {
		struct tensor_layout *one = &l->arg[i].tensor;

		if (l->arg[i].is_tensor)
			TRY(place(&l->region_bytes[one->region], one,
				  MAX(t->argument[i].alignment, 1)));
	}
	return NULL;
}
