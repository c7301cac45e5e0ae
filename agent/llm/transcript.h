/*
 * The record of a conversation: JSON lines in a log of the run, each written as
 * the event happens. Anything that looks like a key is removed.
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

/* Opens KIND-TIME-NUMBER.jsonl (step_log_open). Borrows archive and key. */
struct error *transcript_open(struct transcript *t, struct archive *archive,
			      const char *run, const char *kind,
			      uint32_t number,
			      const struct api_key *key) MUST_CHECK;
/* Adds {"event": name, "time": ..., members of more}. `more` (or NULL) is
 * taken. */
struct error *transcript_event(struct transcript *t, const char *name,
			       struct json *more) MUST_CHECK;
/* Adds a model's reply; call it before talk_take moves the reply's contents. */
struct error *transcript_reply(struct transcript *t, const struct reply *r,
			       double seconds) MUST_CHECK;
/* Stores the log with the run. */
struct error *transcript_keep(struct transcript *t) MUST_CHECK;
void transcript_release(struct transcript *t);

DEFINE_RELEASE(transcript, struct transcript, transcript_release)
#define cleanup_transcript CLEANUP(transcript)

#endif
