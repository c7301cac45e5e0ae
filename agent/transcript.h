/*
 * What was said in a conversation, event by event: JSON lines in a log of
 * the run (archive.open_log), each written as it happens, so that it can be
 * read after a kill -9 too. Whatever looks like a key is taken out.
 */
#ifndef AGENT_TRANSCRIPT_H
#define AGENT_TRANSCRIPT_H

#include "agent/conversation.h"
#include "agent/key.h"
#include "core/archive.h"

struct transcript {
	struct archive *archive;
	const struct key *key;
	char run[RUN_NAME_MAX + 1];
	char *name;
	int fd; /* -1: nothing is kept */
};
#define TRANSCRIPT_INIT  \
	{                \
		.fd = -1 \
	}

/* Called KIND-TIME-NUMBER.jsonl: no two of a second have the same number.
 * Borrows archive and key. No archive, or one
 * without logs, keeps none. */
struct error *transcript_open(struct transcript *t, struct archive *archive,
			      const char *run, const char *kind,
			      uint32_t number,
			      const struct key *key) MUST_CHECK;
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
