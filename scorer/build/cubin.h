/*
 * The device code that a shared object carries. What nvcc links into an
 * object lies in its section .nv_fatbin: containers ("fat binaries") of one
 * entry an architecture, of which those for ours are wanted as they are, so
 * that what is launched is byte for byte what the host code belongs to. The
 * section of relocatable code (__nv_relfatbin) is not looked at: with -rdc
 * the linked whole is in the other one too.
 *
 * The bytes come out of a build that a stranger may have written: every offset
 * is checked, and what does not add up is an error, never a guess.
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
 * ERROR_MALFORMED where it does not add up, ERROR_REFUSED for an entry that is
 * compressed, ERROR_TOO_BIG. */
struct error *cubins_find(struct cubin out[CUBIN_MAX], size_t *n,
			  const void *object, size_t len,
			  const char *arch) MUST_CHECK;

#endif
