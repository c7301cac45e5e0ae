/* What a server sends, to the reply it makes; and if it makes one, the request
 * that gives it back is JSON again. */
#ifndef FUZZ_WIRE_H
#define FUZZ_WIRE_H

#include "agent/provider/sse.h"
#include "agent/provider/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz_wire {
	const struct wire *wire;
	struct draft draft;
};

static struct error *take_event(void *arg, const char *name, const char *data,
				size_t len)
{
	struct fuzz_wire *f = arg;
	struct json_text event = {0};

	if (len == 6 && memcmp(data, "[DONE]", 6) == 0) {
		f->draft.ended = true;
		return NULL;
	}
	TRY(json_text_check(&event, data, len));
	return f->wire->event(&f->draft, name, event);
}

static struct error *take_bytes(struct fuzz_wire *f, const char *text,
				size_t size)
{
	cleanup_draft struct draft refused;
	struct json_text body = {0};
	struct error *err = NULL;

	draft_init(&refused);
	if (size && *text == '{') {
		TRY(json_text_check(&body, text, size));
		if (f->wire->failed(&refused.failure, body, 400))
			return NULL;
		return f->wire->whole(&f->draft, body);
	} else {
		cleanup_sse struct sse s;

		sse_init(&s, (size_t)1 << 20, take_event, f);
		err = sse_feed(&s, text, size);
		return err ? err : sse_end(&s);
	}
}

static void give_back(const struct wire *wire, struct reply *r)
{
	cleanup_conversation struct conversation c;
	cleanup_buf struct buf out = BUF_INIT((size_t)1 << 26);
	struct json_text checked = {0};

	r->model = xstrdup("m");
	conversation_init(&c, "s");
	conversation_say(&c, "x");
	conversation_take(&c, r);
	for (int own = 0; own < 2; own++) {
		struct wire_request request = {.model = own ? "m" : "other",
					       .max_tokens = 1};

		buf_clear(&out);
		wire->request(&out, &c, &request);
		if (json_text_check(&checked, out.data, out.len))
			abort();
	}
}

static int fuzz(const struct wire *wire, const uint8_t *data, size_t size)
{
	struct fuzz_wire f = {.wire = wire};
	cleanup_reply struct reply r = {0};
	struct error *err;

	draft_init(&f.draft);
	err = take_bytes(&f, (const char *)data, size);
	if (!err)
		err = wire->finish(&r, &f.draft);
	if (!err)
		give_back(wire, &r);
	error_free(err);
	draft_release(&f.draft);
	return 0;
}

#endif
