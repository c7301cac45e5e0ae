/*
 * Buffers in the runner's address space. `guarded` maps the buffers of a
 * candidate: only the slots of tensors, with unmapped pages before, between and
 * after them, at an address that the scorer drew. `plain` maps a file as it is.
 * Functions that return a string return NULL or what went wrong.
 */
#ifndef RUNNER_MAPPING_H
#define RUNNER_MAPPING_H

#include "scorer/wire/protocol.h"

struct mapping {
	unsigned char *base; /* NULL: nothing is mapped */
	size_t bytes;
	size_t stride; /* from one image of a batch to the next */
	/* Where a region begins in an image. */
	size_t at[REGION_COUNT];
};

enum mapping_access {
	MAPPING_READ,
	MAPPING_WRITE, /* the file itself */
};
/* Maps the regions of `mask` (1 << region), which lie in each image of the
 * file in the order of the enum, `image_bytes` apart. */
const char *mapping_guarded(struct mapping *m, int fd,
			    const struct entry_call *c, unsigned mask,
			    size_t image_bytes, enum mapping_access access,
			    uint64_t address);
const char *mapping_plain(struct mapping *m, int fd, size_t bytes,
			  int protection);
/* Private memory, all zeros. */
const char *mapping_anonymous(struct mapping *m, size_t bytes);
void mapping_release(struct mapping *m);
/* Element 0 of argument i in image `index` of a guarded mapping. */
void *mapping_tensor(const struct mapping *m, const struct entry_call *c,
		     size_t i, uint32_t index);

DEFINE_RELEASE(mapping, struct mapping, mapping_release)
#define cleanup_mapping CLEANUP(mapping)

#endif
