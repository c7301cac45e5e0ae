/*
 * Replies kept in a file and played again: demos without a key, tests, bug
 * reports. A file is JSON lines: the first says {"avogit_recording":1}, each
 * other is a reply and the digest of the conversation it answered
 * (docs/agent.md). It holds what the model said, not what it was asked, and no
 * key.
 */
#ifndef AGENT_PROVIDER_RECORDING_H
#define AGENT_PROVIDER_RECORDING_H

#include "agent/provider/provider.h"
#include "core/base/hash.h"

/* Plays the file, reply after reply; no network. Each request must be the one
 * that was recorded, word for word (else ERROR_MOVED says which reply and what
 * helps), unless `lenient`: results with times in them are never the same
 * again. After the last reply: ERROR_NOT_FOUND. */
struct error *replay_provider(struct provider **out, const char *path,
			      bool lenient) MUST_CHECK;

/* The same of a text in memory; `name` is for messages. */
struct error *replay_text(struct provider **out, const char *name,
			  const char *text, size_t len,
			  bool lenient) MUST_CHECK;

/* Appends what p answers from now on to the file, which is made for its owner
 * alone. */
struct error *provider_record(struct provider *p, const char *path) MUST_CHECK;

/* For provider.c. */
struct recorder;
struct error *recorder_note(struct recorder *r, const struct conversation *c,
			    const struct reply *reply) MUST_CHECK;
void recorder_free(struct recorder *r);

#endif
