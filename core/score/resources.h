/* The resources of a GPU that a kernel uses, as the compiler reports them. */
#ifndef CORE_SCORE_RESOURCES_H
#define CORE_SCORE_RESOURCES_H

#include "core/base/strvec.h"

struct kernel_resources {
	char *name;	   /* as in the device code, so it may be mangled */
	int64_t registers; /* per thread */
	int64_t spill_stores, spill_loads, stack; /* bytes per thread */
	int64_t shared;				  /* bytes per block, static */
	int64_t barriers;			  /* per block */
	int64_t constant;	/* bytes, including its arguments */
	struct strvec warnings; /* remarks of the compiler, one line each */
};

struct resources {
	struct kernel_resources *kernel;
	size_t n, cap;
};

/* The entry of that name, added if missing. Borrowed until the next call. */
struct kernel_resources *resources_of(struct resources *r, const char *name);
/* The same, but NULL if it is missing. */
struct kernel_resources *resources_get(const struct resources *r,
				       const char *name);
/* *out is overwritten, not released. resources_release disposes. */
void resources_copy(struct resources *out, const struct resources *r);
void resources_release(struct resources *r);

DEFINE_RELEASE(resources, struct resources, resources_release)
#define cleanup_resources CLEANUP(resources)

#endif
