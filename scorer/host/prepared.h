/*
 * The prepared buffers of one process: a memory file for its candidate, and
 * our own view of it. Round the buffers lie guard bytes, drawn for each file:
 * what one process leaves there reaches no other, and is seen.
 */
#ifndef SCORER_HOST_PREPARED_H
#define SCORER_HOST_PREPARED_H

#include "core/task/layout.h"
#include "core/base/secret.h"

struct prepared {
	int fd;		       /* -1: none */
	unsigned char *memory; /* mapped; NULL: none */
	struct layout layout;
	uint64_t page[LAYOUT_PAGE / sizeof(uint64_t)]; /* of guard bytes */
};
#define PREPARED_INIT    \
	{                \
		.fd = -1 \
	}

/* Zeros in the buffers, guard bytes round them. What *p had is released. */
struct error *prepared_open(struct prepared *p,
			    const struct layout *layout) MUST_CHECK;
/* Copies the buffers, and nothing of what lies round them. Both have the same
 * layout. */
void prepared_take(struct prepared *p, const struct prepared *from);
/* The argument round whose buffer a guard byte has changed; -1: none. The
 * process must be frozen. */
int prepared_overrun(const struct prepared *p);
void prepared_release(struct prepared *p);

DEFINE_RELEASE(prepared, struct prepared, prepared_release)
#define cleanup_prepared CLEANUP(prepared)

#endif
