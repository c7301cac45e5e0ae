/*
 * Lines to and from a client that may send anything and never read: both
 * directions are bounded, and no function here waits.
 */
#ifndef AGENT_MCP_CHANNEL_H
#define AGENT_MCP_CHANNEL_H

#include "core/base/buf.h"

#define CHANNEL_LINE_MAX   ((size_t)8 << 20)
#define CHANNEL_OUTPUT_MAX ((size_t)32 << 20)

struct channel {
	int in, out; /* may be the same socket */
	bool owned;  /* channel_release closes both */
	struct buf input;
	size_t taken;  /* bytes of input already returned as lines */
	bool skipping; /* inside a line that was too long */
	struct buf output;
	size_t sent;
	bool ended;  /* no more input will come */
	bool broken; /* output is lost from now on */
};

void channel_init(struct channel *c, int in, int out, bool owned);
void channel_release(struct channel *c);
/* Reads once, whatever is available. */
void channel_fill(struct channel *c);
/* The next whole line without its newline, borrowed until the next call on this
 * channel; NULL: no whole line yet. *too_long: a line was discarded. */
const char *channel_line(size_t *len, bool *too_long, struct channel *c);
/* Queues a line. A client that reads too little breaks the channel. */
void channel_put(struct channel *c, const char *line);
/* Is there output that the client has not taken yet? False once broken. */
bool channel_has_output(const struct channel *c);
/* Writes as much as possible without waiting. */
void channel_flush(struct channel *c);

DEFINE_RELEASE(channel, struct channel, channel_release)
#define cleanup_channel CLEANUP(channel)

#endif
