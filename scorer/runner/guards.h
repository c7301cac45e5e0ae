/*
 * Which array of a reference an address belongs to, so that a fault at a guard page, or
 * a write to an input, can be told by the array's name. Of one process; what looks an
 * address up is called from a signal handler.
 */
#ifndef RUNNER_GUARDS_H
#define RUNNER_GUARDS_H

#include "scorer/wire/protocol.h"

struct guard {
	const unsigned char *begin,
		*end;		   /* an access in here is of this array */
	const unsigned char *data; /* element 0 */
	size_t bytes;		   /* of the array */
	uint32_t argument, side;   /* as in array_access */
	uint32_t element;	   /* bytes */
};

/* Forgets all. */
void guards_clear(void);
/* More than twice the arguments of a task are not kept. */
void guards_add(const struct guard *g);
/* Fills *out but for `doing`. False where the address is of none: of several the one
 * that is nearest. */
bool guards_find(struct array_access *out, uint64_t address);

#endif
