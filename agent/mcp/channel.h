/*
 * Lines to and from a client that may send anything and read nothing: both
 * directions are bounded, and no function here waits.
 */
#ifndef AGENT_MCP_CHANNEL_H
#define AGENT_MCP_CHANNEL_H

#include "core/base/buf.h"

#define CHANNEL_LINE_MAX   ((size_t)8 << 20)
#define CHANNEL_OUTPUT_MAX ((size_t)32 << 20)

struct channel {
	int in, out; /* may be one socket */
	bool owned;  /* both are closed by channel_release */
	struct buf input;
	size_t taken;  /* bytes of input that were handed out */
	bool skipping; /* the rest of a line that was too long */
	struct buf output;
	size_t sent;
	bool ended;  /* there is no more to read */
	bool broken; /* nothing that is put here arrives */
};

void channel_init(struct channel *c, int in, int out, bool owned);
void channel_release(struct channel *c);
/* Reads what is there, once. */
void channel_fill(struct channel *c);
/* The next whole line without its newline, borrowed until the next call of
 * anything; NULL: there is none yet. *too_long: one was thrown away. */
const char *channel_line(size_t *len, bool *too_long, struct channel *c);
/* Puts a line. A client that does not read loses the channel. */
void channel_put(struct channel *c, const char *line);
bool channel_has_output(const struct channel *c);
/* Writes what goes without waiting. */
void channel_flush(struct channel *c);

DEFINE_RELEASE(channel, struct channel, channel_release)
#define cleanup_channel CLEANUP(channel)

#endif
