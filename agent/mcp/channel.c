#include "agent/mcp/channel.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

void channel_init(struct channel *c, int in, int out, bool owned)
{
	*c = (struct channel){.in = in, .out = out, .owned = owned};
	buf_init(&c->input, CHANNEL_LINE_MAX + 65536);
	buf_init(&c->output, CHANNEL_OUTPUT_MAX);
}

void channel_release(struct channel *c)
{
	if (c->owned) {
		if (c->out != c->in)
			close(c->out);
		close(c->in);
	}
	buf_release(&c->input);
	buf_release(&c->output);
	c->owned = false;
	c->ended = c->broken = true;
}

/* ---- reading ------------------------------------------------------------- */

static void drop_front(struct buf *b, size_t *taken)
{
	if (!*taken)
		return;
	memmove(b->data, b->data + *taken, b->len - *taken);
	b->len -= *taken;
	b->data[b->len] = '\0';
	*taken = 0;
}

void channel_fill(struct channel *c)
{
	char chunk[65536];
	ssize_t n;

	if (c->ended)
		return;
	drop_front(&c->input, &c->taken);
	n = read(c->in, chunk, sizeof chunk);
	if (n > 0)
		buf_add(&c->input, chunk, (size_t)n);
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		c->ended = true;
}

const char *channel_line(size_t *len, bool *too_long, struct channel *c)
{
	const char *start = c->input.data + c->taken;
	size_t left = c->input.len - c->taken;
	const char *end = left ? memchr(start, '\n', left) : NULL;

	*too_long = false;
	if (!end && left > CHANNEL_LINE_MAX) {
		c->taken = c->input.len;
		*too_long = !c->skipping;
		c->skipping = true;
		return NULL;
	}
	/* The last line may lack its newline. */
	if (!end && c->ended && left)
		end = start + left;
	if (!end)
		return NULL;
	c->taken += (size_t)(end - start) + (end < start + left);
	if (c->skipping) {
		c->skipping = false;
		return channel_line(len, too_long, c);
	}
	*len = (size_t)(end - start);
	return start;
}

/* ---- writing ------------------------------------------------------------- */

bool channel_has_output(const struct channel *c)
{
	return !c->broken && c->sent < c->output.len;
}

void channel_put(struct channel *c, const char *line)
{
	if (c->broken)
		return;
	drop_front(&c->output, &c->sent);
	buf_adds(&c->output, line);
	buf_addc(&c->output, '\n');
	if (c->output.truncated)
		c->broken = true;
	channel_flush(c);
}

/* A socket supports writes that do not wait; a pipe that poll reports as
 * writable takes PIPE_BUF bytes without waiting. */
static ssize_t write_some(int fd, const char *data, size_t len)
{
	struct pollfd p = {fd, POLLOUT, 0};
	ssize_t n = send(fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n >= 0 || errno != ENOTSOCK)
		return n;
	if (poll(&p, 1, 0) <= 0) {
		errno = EAGAIN;
		return -1;
	}
	return write(fd, data, MIN(len, (size_t)PIPE_BUF));
}

void channel_flush(struct channel *c)
{
	while (channel_has_output(c)) {
		ssize_t n = write_some(c->out, c->output.data + c->sent,
				       c->output.len - c->sent);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n <= 0) {
			c->broken = true;
			return;
		}
		c->sent += (size_t)n;
	}
	buf_clear(&c->output);
	c->sent = 0;
}
