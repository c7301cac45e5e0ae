/*
 * The variation operator of a person: one candidate, which is there already.
 * What an agent does by its tools a person does by an editor; the run keeps
 * both alike, failures too.
 */
#ifndef AGENT_HAND_H
#define AGENT_HAND_H

#include "core/base/fileset.h"
#include "core/run/variation.h"

/* Scores `sources` once, then has nothing left. `message` is as a commit's:
 * what was tried, an empty line, why it should help. Borrows the sources and
 * the message; operator->free disposes. */
struct error *hand_new(struct variation_operator **out,
		       const struct fileset *sources,
		       const char *message) MUST_CHECK;

#endif
