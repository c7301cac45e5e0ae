/*
 * What objects and cubins are made of. The bytes come out of builds that
 * a stranger may have written, so every offset is checked.
 */
#ifndef SCORER_BUILD_ELF_H
#define SCORER_BUILD_ELF_H

#include <elf.h>

#include "core/base/base.h"

struct bytes {
	const unsigned char *data;
	size_t len;
};

/* Copies `size` bytes, since nothing there need be aligned; false where they
 * are not all there. */
bool bytes_take(void *out, size_t size, const struct bytes *b, uint64_t at);
/* The `len` bytes at `at`, borrowed; false where they are not all there. */
bool bytes_slice(struct bytes *out, const struct bytes *b, uint64_t at,
		 uint64_t len);

/* The head of a 64-bit file; false: it is none. */
bool elf_head(Elf64_Ehdr *out, const struct bytes *file);
/* The first section of that name (or whose name begins so, where `prefix`)
 * with something in it; false: none. */
bool elf_section(struct bytes *out, const struct bytes *file, const char *name,
		 bool prefix);

#endif
