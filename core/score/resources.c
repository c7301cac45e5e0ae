#include "core/score/resources.h"

struct kernel_resources *resources_get(const struct resources *r,
				       const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (str_eq(r->kernel[i].name, name))
			return &r->kernel[i];
	return NULL;
}

struct kernel_resources *resources_of(struct resources *r, const char *name)
{
	struct kernel_resources *k = resources_get(r, name);

	if (k)
		return k;
	GROW(r->kernel, r->n, r->cap);
	k = &r->kernel[r->n++];
	*k = (struct kernel_resources){.name = xstrdup(name)};
	return k;
}

void resources_copy(struct resources *out, const struct resources *r)
{
	*out = (struct resources){0};
	for (size_t i = 0; i < r->n; i++) {
		struct kernel_resources *k =
			resources_of(out, r->kernel[i].name);
		char *name = k->name;

		*k = r->kernel[i];
		k->name = name;
		k->warnings = (struct strvec)STRVEC_INIT;
		strvec_extend(&k->warnings, &r->kernel[i].warnings);
	}
}

void resources_release(struct resources *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->kernel[i].name);
		strvec_release(&r->kernel[i].warnings);
	}
	free(r->kernel);
	*r = (struct resources){0};
}
