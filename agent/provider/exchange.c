#include "agent/provider/exchange.h"

#define BODY_LIMIT    ((size_t)64 << 20)
#define EVENT_LIMIT   ((size_t)16 << 20)
#define MESSAGE_LIMIT 600

void exchange_release(struct exchange *e)
{
	draft_release(&e->draft);
	sse_release(&e->sse);
	buf_release(&e->whole);
	http_reply_release(&e->http);
}
static struct error *on_event(void *arg, const char *name, const char *data,
			      size_t len)
{
	struct exchange *e = arg;
	struct json_text event;

	if (e->saw_done || !len)
		return NULL;
	if (len == 6 && memcmp(data, "[DONE]", 6) == 0) {
		e->saw_done = e->draft.ended = true;
		return NULL;
	}
	TRY(json_text_check(&event, data, len));
	return e->wire->event(&e->draft, name, event);
}

/* A stream never begins with a brace; servers that cannot stream answer whole
 * when asked to. */
static struct error *on_body(void *arg, const char *bytes, size_t len)
{
	struct exchange *e = arg;

	for (size_t i = 0; i < len && !e->decided; i++)
		if (!strchr(" \t\r\n", bytes[i]) || !bytes[i]) {
			e->decided = true;
			e->is_stream = bytes[i] != '{';
		}
	if (e->is_stream)
		return sse_feed(&e->sse, bytes, len);
	buf_add(&e->whole, bytes, len);
	return NULL;
}

static struct error *take_whole(struct exchange *e)
{
	struct json_text body;

	TRY(json_text_check(&body, e->whole.data, e->whole.len));
	if (e->wire->failed(&e->draft.failure, body, 0))
		return NULL;
	return e->wire->whole(&e->draft, body);
}

void exchange_init(struct exchange *e, const struct wire *wire)
{
	*e = (struct exchange){.wire = wire};
	draft_init(&e->draft);
	sse_init(&e->sse, EVENT_LIMIT, on_event, e);
	buf_init(&e->whole, BODY_LIMIT);
}

/* What is left to do with a body of status 2xx. */
static struct error *close_body(struct exchange *e)
{
	if (e->http.end != HTTP_DONE)
		return error_new(ERROR_SYSTEM, "%s", e->http.detail);
	if (e->is_stream)
		return sse_end(&e->sse);
	return take_whole(e);
}

static void take_error_body(struct exchange *e)
{
	struct draft_failure *f = &e->draft.failure;
	const struct buf *b = &e->http.body;
	struct json_text body;
	cleanup_error struct error *err =
		json_text_check(&body, b->data, b->len);

	if (!err && e->wire->failed(f, body, e->http.status))
		return;
	f->status = e->http.status;
	f->message = xstrndup(b->data, strnlen(b->data, MESSAGE_LIMIT));
}

struct error *exchange_run(struct reply *out, struct exchange *e,
			   struct http *http,
			   const struct http_request *request)
{
	struct draft_failure *f = &e->draft.failure;
	struct http_request mine = *request;
	struct error *err;

	mine.body_limit = BODY_LIMIT;
	mine.on_body = on_body;
	mine.arg = e;
	err = http_post(&e->http, http, &mine);
	if (error_is(err, ERROR_INTERRUPTED) || error_is(err, ERROR_USAGE))
		return err;
	if (!err && e->http.status / 100 == 2)
		err = close_body(e);
	else if (!err && e->http.status && e->http.end == HTTP_DONE)
		take_error_body(e);
	else if (!err)
		err = error_new(ERROR_SYSTEM, "%s", e->http.detail);
	if (!err && !f->status)
		err = e->wire->finish(out, &e->draft);
	if (err && !f->status)
		f->message = xstrdup(error_message(err));
	error_free(err);
	return NULL;
}

/* ---- what to make of a failure ----------------------------------------- */

static bool is_word_at(const char *text, const char *found, size_t len)
{
	const char *word = "abcdefghijklmnopqrstuvwxyz_";

	return (found == text || !strchr(word, found[-1])) &&
	       (!found[len] || !strchr(word, found[len]));
}

/* The parameter that the message names first. */
static unsigned named_parameter(const struct wire *w, const char *message)
{
	const char *first = NULL;
	unsigned bit = 0;

	for (unsigned i = 0; w->parameters[i]; i++) {
		const char *at = strstr(message, w->parameters[i]);

		if (at && is_word_at(message, at, strlen(w->parameters[i])) &&
		    (!first || at < first)) {
			first = at;
			bit = 1u << i;
		}
	}
	return bit;
}

unsigned failure_parameter(const struct draft_failure *f,
			   const struct wire *wire)
{
	if (f->status != 400 && f->status != 422)
		return 0;
	for (unsigned i = 0; f->parameter && wire->parameters[i]; i++)
		if (str_eq(wire->parameters[i], f->parameter))
			return 1u << i;
	return f->message ? named_parameter(wire, f->message) : 0;
}

bool failure_is_full_context(const struct draft_failure *f)
{
	static const char *const says[] = {
		"context_length_exceeded", "prompt is too long",
		"maximum context length",  "exceeds the context",
		"exceed_context_size",	   "context window",
	};

	if (f->status == 413)
		return true;
	if (f->status != 400 || !f->message)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(says); i++)
		if (strstr(f->message, says[i]))
			return true;
	return false;
}
