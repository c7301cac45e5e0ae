#include "agent/provider/sse.h"

void sse_init(struct sse *s, size_t limit, sse_event_fn *on_event, void *arg)
{
	*s = (struct sse){.on_event = on_event, .arg = arg};
	buf_init(&s->line, limit);
	buf_init(&s->data, limit);
	buf_init(&s->name, 128);
}

void sse_release(struct sse *s)
{
	buf_release(&s->line);
	buf_release(&s->data);
	buf_release(&s->name);
}

static struct error *dispatch(struct sse *s)
{
	struct error *err = NULL;

	if (s->has_data)
		err = s->on_event(s->arg, s->name.data, s->data.data,
				  s->data.len);
	buf_clear(&s->data);
	buf_clear(&s->name);
	s->has_data = false;
	return err;
}

static struct error *too_big(const struct sse *s)
{
	return error_new(ERROR_TOO_BIG,
			 "the stream has an event over %zu bytes",
			 s->line.limit);
}

static struct error *take_field(struct sse *s, const char *value, size_t len,
				size_t name_len)
{
	const char *name = s->line.data;

	if (name_len == 4 && memcmp(name, "data", 4) == 0) {
		if (s->has_data)
			buf_addc(&s->data, '\n');
		buf_add(&s->data, value, len);
		s->has_data = true;
		if (s->data.truncated)
			return too_big(s);
	} else if (name_len == 5 && memcmp(name, "event", 5) == 0) {
		buf_clear(&s->name);
		buf_add(&s->name, value, len);
	}
	return NULL;
}

static struct error *take_line(struct sse *s)
{
	const char *line = s->line.data, *colon, *value;
	size_t len = s->line.len;

	if (!s->begun && len >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
		memmove(s->line.data, s->line.data + 3, len - 2);
		s->line.len = len -= 3;
	}
	s->begun = true;
	if (!len)
		return dispatch(s);
	colon = memchr(line, ':', len);
	if (!colon)
		return take_field(s, line + len, 0, len);
	value = colon + 1;
	value += value < line + len && *value == ' ';
	return take_field(s, value, (size_t)(line + len - value),
			  (size_t)(colon - line));
}

struct error *sse_feed(struct sse *s, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t n = 0;

		if (s->after_cr && bytes[i] == '\n')
			i++;
		s->after_cr = false;
		while (i + n < len && bytes[i + n] != '\n' &&
		       bytes[i + n] != '\r')
			n++;
		buf_add(&s->line, bytes + i, n);
		if (s->line.truncated)
			return too_big(s);
		i += n;
		if (i >= len)
			break;
		s->after_cr = bytes[i++] == '\r';
		TRY(take_line(s));
		buf_clear(&s->line);
	}
	return NULL;
}

struct error *sse_end(struct sse *s)
{
	if (s->line.len) {
		TRY(take_line(s));
		buf_clear(&s->line);
	}
	return dispatch(s);
}
