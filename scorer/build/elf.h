/*
 * Reads ELF files: objects and cubins. A stranger may have written the build
 * that they come from, so every offset is checked.
 */
#ifndef SCORER_BUILD_ELF_H
#define SCORER_BUILD_ELF_H

#include <elf.h>

#include "core/base/base.h"

struct bytes {
	const unsigned char *data;
	size_t len;
};

/* Copies `size` bytes from offset `at`, which need not be aligned; false if
 * they are not all inside `b`. */
bool bytes_take(void *out, size_t size, const struct bytes *b, uint64_t at);
/* The `len` bytes at `at`, borrowed; false if they are not all inside `b`. */
bool bytes_slice(struct bytes *out, const struct bytes *b, uint64_t at,
		 uint64_t len);

/* The header of a 64-bit ELF file; false: it is not one. */
bool elf_head(Elf64_Ehdr *out, const struct bytes *file);
/* The first section with this name (with `prefix`: whose name begins so) that
 * is not empty; borrowed. False: there is none. */
bool elf_section(struct bytes *out, const struct bytes *file, const char *name,
		 bool prefix);

#endif
