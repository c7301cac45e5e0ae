#include "agent/provider/wire.h"

const struct wire *wire_of(enum protocol protocol)
{
	static const struct wire *const all[] = {
		[PROTOCOL_ANTHROPIC] = &wire_anthropic,
		[PROTOCOL_OPENAI] = &wire_openai,
		[PROTOCOL_RESPONSES] = &wire_responses,
	};

	return all[protocol];
}

void wire_add_url(struct buf *out, const char *base, const char *path)
{
	const char *query = base + strcspn(base, "?");
	size_t len = (size_t)(query - base);

	while (len && base[len - 1] == '/')
		len--;
	buf_add(out, base, len);
	buf_adds(out, path);
	buf_adds(out, query);
}
