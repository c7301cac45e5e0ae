/*
 * The device code in a shared object. nvcc links it into the section
 * .nv_fatbin: containers ("fat binaries") with one entry for each
 * architecture. The entries for our architecture are taken unchanged, so that
 * the launched code is byte for byte that of the host code. The section of
 * relocatable code (__nv_relfatbin) is not read: with -rdc the linked code is
 * in .nv_fatbin too.
 *
 * A stranger may have written the build: every offset is checked, and an
 * inconsistency is an error, never a guess.
 */
#ifndef SCORER_BUILD_CUBIN_H
#define SCORER_BUILD_CUBIN_H

#include "core/base/error.h"

#define CUBIN_MAX 64

/* A piece of the object's bytes. */
struct cubin {
	size_t offset, len;
};

/* The cubins for `arch` ("sm_90a") that hold a kernel or data, in the
 * object's order; at most CUBIN_MAX. An object without device code has none.
 * ERROR_MALFORMED if the object is inconsistent, ERROR_REFUSED for a compressed
 * entry, ERROR_TOO_BIG. */
struct error *cubins_find(struct cubin out[CUBIN_MAX], size_t *n,
			  const void *object, size_t len,
			  const char *arch) MUST_CHECK;

#endif
