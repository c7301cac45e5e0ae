/* What a compiler says a kernel takes of a GPU. */
#ifndef CORE_SCORE_RESOURCES_H
#define CORE_SCORE_RESOURCES_H

#include "core/base/strvec.h"

struct kernel_resources {
	char *name;	   /* as the device code has it, so maybe mangled */
	int64_t registers; /* a thread */
	int64_t spill_stores, spill_loads, stack; /* bytes a thread */
	int64_t shared;				  /* bytes a block, static */
	int64_t barriers;			  /* a block */
	int64_t constant;	/* bytes, with its arguments */
	struct strvec warnings; /* what the compiler remarked, a line each */
};

struct resources {
	struct kernel_resources *kernel;
	size_t n, cap;
};

/* The one of that name, made if it is not there. Borrowed until the next. */
struct kernel_resources *resources_of(struct resources *r, const char *name);
/* The same, but NULL if it is not there. */
struct kernel_resources *resources_get(const struct resources *r,
				       const char *name);
void resources_copy(struct resources *out, const struct resources *r);
void resources_release(struct resources *r);

DEFINE_RELEASE(resources, struct resources, resources_release)
#define cleanup_resources CLEANUP(resources)

#endif
