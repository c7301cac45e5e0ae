/*
 * Where the outputs of two arms on the same inputs differ most. It says nothing
 * of who is right: it says which rows the reference had better look at, so that
 * a row which one of them left out is found wherever it is.
 */
#ifndef RUNNER_LIKENESS_H
#define RUNNER_LIKENESS_H

#include "scorer/wire/protocol.h"

/* Looks through all output tensors of an image, `tile_rows` (1 or more) rows at
 * a time; `one` and `other` are where their outputs regions begin. */
void likeness_look(struct likeness_reply *out, const struct layout *l,
		   const unsigned char *one, const unsigned char *other,
		   int64_t tile_rows);

#endif
