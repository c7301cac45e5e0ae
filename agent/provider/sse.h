/*
 * A parser of server-sent events (the HTML standard, section 9.2), fed in
 * pieces. Lines end in LF, CR or CRLF; comments and unknown fields are skipped;
 * the `data` lines of an event are joined by LF. A line or event that reaches
 * the limit is ERROR_TOO_BIG at once.
 */
#ifndef AGENT_PROVIDER_SSE_H
#define AGENT_PROVIDER_SSE_H

#include "core/base/buf.h"

/* Called for each event with data. The name is "" if the event has none. Both
 * strings are borrowed; `data` ends in NUL and may contain NUL. An error ends
 * the parsing and is returned to the caller. */
typedef struct error *sse_event_fn(void *arg, const char *name,
				   const char *data, size_t len);

struct sse {
	sse_event_fn *on_event;
	void *arg;
	struct buf line, data, name;
	bool after_cr, begun, has_data;
};

void sse_init(struct sse *s, size_t limit, sse_event_fn *on_event, void *arg);
void sse_release(struct sse *s);
/* Parses more bytes of the stream, which may be split anywhere. */
struct error *sse_feed(struct sse *s, const char *bytes, size_t len) MUST_CHECK;
/* Ends the stream. An event without its final empty line counts, because some
 * servers omit that line. */
struct error *sse_end(struct sse *s) MUST_CHECK;

DEFINE_RELEASE(sse, struct sse, sse_release)
#define cleanup_sse CLEANUP(sse)

#endif
