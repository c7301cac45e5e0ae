/*
 * The lines of a source that declare tunables (tunables.h has their syntax),
 * read and written. Nobody but tunables.c needs them.
 */
#ifndef AGENT_TUNER_DECLARATIONS_H
#define AGENT_TUNER_DECLARATIONS_H

#include "agent/tuner/tunables.h"

/* Adds what one source declares: at most TUNABLES_MAX tunables in all, no name
 * twice. A malformed declaration, and a flag that the task does not allow, is
 * ERROR_TASK with FILE:LINE. */
struct error *declarations_read(struct tunables *out,
				const struct file_entry *source,
				const struct task *task) MUST_CHECK;
/* Rewrites the line that declares `t` so that the value `chosen` is in force;
 * every other byte stays. */
struct error *declaration_rewrite(struct fileset *sources,
				  const struct tunable *t,
				  size_t chosen) MUST_CHECK;

#endif
