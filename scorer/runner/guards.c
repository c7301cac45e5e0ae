#include "scorer/runner/guards.h"

static struct guard kept[2 * TASK_MAX_ARGS];
static volatile size_t n_kept;

void guards_clear(void)
{
	n_kept = 0;
}

void guards_add(const struct guard *g)
{
	if (n_kept == ARRAY_SIZE(kept))
		return;
	kept[n_kept] = *g;
	n_kept = n_kept + 1;
}

/* 0: within the array. */
static uint64_t distance(const struct guard *g, uint64_t address)
{
	uint64_t begin = (uint64_t)(uintptr_t)g->data, end = begin + g->bytes;

	if (address < begin)
		return begin - address;
	return address < end ? 0 : address - end + 1;
}

bool guards_find(struct array_access *out, uint64_t address)
{
	const struct guard *found = NULL;

	for (size_t i = 0; i < n_kept; i++) {
		const struct guard *g = &kept[i];

		if (address >= (uint64_t)(uintptr_t)g->begin &&
		    address < (uint64_t)(uintptr_t)g->end &&
		    (!found || distance(g, address) < distance(found, address)))
			found = g;
	}
	if (!found)
		return false;
	*out = (struct array_access){
		.array = found->argument + 1,
		.side = found->side,
		.at = (int64_t)(address - (uint64_t)(uintptr_t)found->data),
		.bytes = found->bytes,
		.element = found->element};
	return true;
}
