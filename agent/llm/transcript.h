/*
 * What was said in a conversation, event by event: JSON lines in a log of
 * the run, each written as it happens. Whatever looks like a key is taken out.
 */
#ifndef AGENT_LLM_TRANSCRIPT_H
#define AGENT_LLM_TRANSCRIPT_H

#include "agent/provider/conversation.h"
#include "agent/provider/key.h"
#include "agent/tools/step_log.h"

struct transcript {
	struct step_log log;
	const struct api_key *key;
};
#define TRANSCRIPT_INIT              \
	{                            \
		.log = STEP_LOG_INIT \
	}

/* Called KIND-TIME-NUMBER.jsonl, see step_log_open. Borrows the key. */
struct error *transcript_open(struct transcript *t, struct archive *archive,
			      const char *run, const char *kind,
			      uint32_t number,
			      const struct api_key *key) MUST_CHECK;
/* Adds {"event": name, "time": ..., members of more}; takes `more`, which may
 * be NULL. */
struct error *transcript_event(struct transcript *t, const char *name,
			       struct json *more) MUST_CHECK;
/* The reply of a model, before the conversation takes it. */
struct error *transcript_reply(struct transcript *t, const struct reply *r,
			       double seconds) MUST_CHECK;
/* Puts it among the run's logs. */
struct error *transcript_keep(struct transcript *t) MUST_CHECK;
void transcript_release(struct transcript *t);

DEFINE_RELEASE(transcript, struct transcript, transcript_release)
#define cleanup_transcript CLEANUP(transcript)

#endif
