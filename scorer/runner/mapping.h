/*
 * Buffers in the runner's address space. `guarded` maps the buffers of a
 * candidate: only the slots of tensors, with unmapped pages before, between and
 * after them, at an address that the scorer drew. `plain` maps a file as it is;
 * `fenced` is for one array of a reference.
 * Functions that return a string return NULL or what went wrong.
 */
#ifndef RUNNER_MAPPING_H
#define RUNNER_MAPPING_H

#include "scorer/wire/protocol.h"

struct mapping {
	unsigned char *base; /* NULL: nothing is mapped */
	size_t bytes;
	size_t stride; /* from one image of a batch to the next */
	/* Where the slot of an argument begins in an image. */
	size_t slot[TASK_MAX_ARGS];
	/* Of `fenced`: all that is reserved round the array; else NULL. */
	unsigned char *room;
	size_t room_bytes;
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
/* The same of the file's bytes from `at`, the beginning of a page, on. */
const char *mapping_part(struct mapping *m, int fd, size_t at, size_t bytes,
			 int protection);
/* Private memory, all zeros. */
const char *mapping_anonymous(struct mapping *m, size_t bytes);
/* Whether what is mapped can be written from now on; of no mapping nothing happens. */
void mapping_writable(struct mapping *m, bool writable);
/* Private memory for one array, all zeros, with pages around it that nothing may
 * touch. It ends at such a page, as closely as the alignment (a power of two, a page
 * at most) allows, or begins there. What lies between array and page holds this
 * word again and again. */
const char *mapping_fenced(struct mapping *m, size_t bytes, size_t alignment,
			   bool at_begin, uint64_t around);
/* From now on the array can be read only. */
void mapping_fence_close(struct mapping *m);
/* Did anything write to what lies between? Then they are made anew, and *at is the first, in bytes
 * from element 0. */
bool mapping_fence_touched(struct mapping *m, uint64_t around, int64_t *at);
void mapping_release(struct mapping *m);
/* Element 0 of argument i in image `index` of a guarded mapping. */
void *mapping_tensor(const struct mapping *m, const struct entry_call *c,
		     size_t i, uint32_t index);

DEFINE_RELEASE(mapping, struct mapping, mapping_release)
#define cleanup_mapping CLEANUP(mapping)

#endif
