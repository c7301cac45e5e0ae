/*
 * Server-sent events (the HTML standard, section 9.2), fed as they come: lines
 * end in LF, CR or CRLF, comments and unknown fields are passed over, `data`
 * lines of an event are joined by LF. A line or an event over the limit is
 * ERROR_TOO_BIG as soon as the limit is reached, whatever is still to come.
 */
#ifndef AGENT_PROVIDER_SSE_H
#define AGENT_PROVIDER_SSE_H

#include "core/base/buf.h"

/* An event with data. The name is "" where none was given; both strings are
 * borrowed; `data` ends in NUL but may hold NUL. An error ends the feeding and
 * is handed through. */
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
struct error *sse_feed(struct sse *s, const char *bytes, size_t len) MUST_CHECK;
/* The stream ended: an event that lacks only its empty line counts, as servers
 * forget it after the last. */
struct error *sse_end(struct sse *s) MUST_CHECK;

DEFINE_RELEASE(sse, struct sse, sse_release)
#define cleanup_sse CLEANUP(sse)

#endif
