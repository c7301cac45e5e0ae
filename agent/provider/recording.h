/*
 * Records replies in a file and plays them: for demos without a key, tests and
 * bug reports. A file is JSON lines: the first is {"avogit_recording":1}; each
 * other line is a reply and the digest of the conversation that it answered
 * (docs/agent.md). The file has the model's answers, not its input, and no key.
 */
#ifndef AGENT_PROVIDER_RECORDING_H
#define AGENT_PROVIDER_RECORDING_H

#include "agent/provider/provider.h"
#include "core/base/hash.h"

/* Plays the file reply by reply, without network. Each request must equal the
 * recorded one word for word; otherwise ERROR_MOVED says which reply differs
 * and what helps. `lenient` skips this check, because results that contain
 * times always differ. ERROR_NOT_FOUND after the last reply. */
struct error *replay_provider(struct provider **out, const char *path,
			      bool lenient) MUST_CHECK;

/* Plays a text in memory; `name` is for messages. */
struct error *replay_text(struct provider **out, const char *name,
			  const char *text, size_t len,
			  bool lenient) MUST_CHECK;

/* Appends p's later replies to the file, created for its owner alone. */
struct error *provider_record(struct provider *p, const char *path) MUST_CHECK;

/* For provider.c. */
struct recorder;
/* Appends one reply and the digest of the conversation to the file. */
struct error *recorder_note(struct recorder *r, const struct conversation *c,
			    const struct reply *reply) MUST_CHECK;
void recorder_free(struct recorder *r);

#endif
