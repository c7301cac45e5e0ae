#include "tests/model-server/connection.h"
#include "core/base/clock.h"
#include "tests/model-server/refuse.h"

#include <errno.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#define REQUEST_LIMIT ((size_t)64 << 20)

struct connection *connection_new(int fd)
{
	struct connection *c = xcalloc(1, sizeof *c);

	c->fd = fd;
	buf_init(&c->in, REQUEST_LIMIT);
	buf_init(&c->out, SIZE_MAX / 2);
	return c;
}

void connection_free(struct connection *c)
{
	close(c->fd);
	buf_release(&c->in);
	buf_release(&c->out);
	free(c);
}

bool connection_wants_write(const struct connection *c, long *ms)
{
	double wait = c->next_write - clock_seconds();

	if (c->sent == c->out.len && !c->endless)
		return false;
	if (c->drip_ms && wait > 0) {
		*ms = (long)(wait * 1e3) + 1;
		return false;
	}
	return true;
}

void connection_write(struct connection *c)
{
	size_t n;
	ssize_t done;

	if (c->sent == c->out.len && c->endless) {
		buf_clear(&c->out);
		c->sent = 0;
		for (size_t i = 0; i < 4096; i++)
			buf_addc(&c->out, 'x');
	}
	n = c->out.len - c->sent;
	if (c->pieces)
		n = MIN(n, c->pieces);
	done = send(c->fd, c->out.data + c->sent, n, MSG_NOSIGNAL);
	if (done < 0) {
		c->over = errno != EAGAIN && errno != EINTR;
		return;
	}
	c->sent += (size_t)done;
	c->next_write = clock_seconds() + (double)c->drip_ms / 1e3;
	if (c->sent == c->out.len && c->last)
		c->over = true;
}

/* ---- requests ---------------------------------------------------------- */

struct request {
	char *path;
	struct json *body;
	const char *head;
	size_t head_len;
};

static void add_chunk(struct buf *out, const char *data, size_t len)
{
	if (!len)
		return;
	buf_addf(out, "%zx\r\n", len);
	buf_add(out, data, len);
	buf_adds(out, "\r\n");
}

static const char *reason(int status)
{
	return status == 200   ? "OK"
	       : status == 429 ? "Too Many Requests"
			       : "As Scripted";
}

static void add_head(struct buf *out, const struct exchange *e, int status,
		     const char *type, size_t n)
{
	buf_addf(out, "HTTP/1.1 %d %s\r\n", status, reason(status));
	buf_addf(out, "content-type: %s\r\n", type);
	buf_addf(out, "request-id: req_%04zu\r\nx-request-id: req_%04zu\r\n", n,
		 n);
	for (size_t i = 0; e && i < e->n_headers; i++)
		buf_addf(out, "%s\r\n", e->headers[i]);
}

static void answer_error(struct connection *c, enum dialect dialect,
			 const char *message, size_t n)
{
	cleanup_buf struct buf body = BUF_INIT(SIZE_MAX / 2);

	fprintf(stderr, "model-server: %s\n", message);
	encode_error(&body, dialect, "invalid_request_error", message);
	add_head(&c->out, NULL, 400, "application/json", n);
	buf_addf(&c->out,
		 "x-should-retry: false\r\ncontent-length: %zu\r\n\r\n",
		 body.len);
	buf_add(&c->out, body.data, body.len);
}

/* The body with its faults, chunked. */
static void add_body(struct connection *c, const struct exchange *e,
		     const struct buf *body)
{
	size_t len = body->len;

	if (str_eq(e->endless, "line")) {
		buf_adds(&c->out, "fffffffffff\r\ndata: ");
		c->endless = true;
		return;
	}
	if (e->cut >= 0) {
		add_chunk(&c->out, body->data, MIN(len, (size_t)e->cut));
		c->last = true;
	} else if (e->stall >= 0) {
		add_chunk(&c->out, body->data, MIN(len, (size_t)e->stall));
		c->silent = true;
	} else {
		if (e->end >= 0)
			len = MIN(len, (size_t)e->end);
		add_chunk(&c->out, body->data, len);
		buf_adds(&c->out, "0\r\n\r\n");
	}
}

static void compress_body(struct buf *body)
{
	z_stream z = {.next_in = (Bytef *)body->data,
		      .avail_in = (uInt)body->len};
	cleanup_free char *out = xcalloc(1, body->len + 1024);

	z.next_out = (Bytef *)out;
	z.avail_out = (uInt)body->len + 1024;
	if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) ||
	    deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	buf_clear(body);
	buf_add(body, out, z.total_out);
	deflateEnd(&z);
}

static void answer(struct connection *c, const struct exchange *e,
		   enum dialect dialect, const struct request *r, size_t n)
{
	cleanup_buf struct buf body = BUF_INIT(SIZE_MAX / 2);
	const char *model = "model", *type = "application/json";
	bool stream = false;

	json_get_string(r->body, "model", &model);
	json_get_bool(r->body, "stream", &stream);
	stream = stream || ends_with(r->path, ":streamGenerateContent");
	stream = stream && !(e->quirks & QUIRK_WHOLE);
	if (e->body) {
		buf_adds(&body, e->body);
	} else if (stream) {
		type = "text/event-stream";
		encode_stream(&body, e, dialect, model, n);
	} else {
		encode_whole(&body, e, dialect, model, n);
	}
	add_head(&c->out, e, e->status ? e->status : 200, type, n);
	if (e->quirks & QUIRK_GZIP) {
		buf_adds(&c->out, "content-encoding: gzip\r\n");
		compress_body(&body);
	}
	if (str_eq(e->endless, "header")) {
		buf_adds(&c->out, "x-endless: ");
		c->endless = true;
	} else {
		buf_adds(&c->out, "transfer-encoding: chunked\r\n\r\n");
		add_body(c, e, &body);
	}
	c->pieces = e->pieces;
	c->drip_ms = e->drip_ms;
}

static void log_request(const struct server *s, const struct request *r)
{
	cleanup_json struct json *v = json_object();
	cleanup_free char *head = xstrndup(r->head, r->head_len);
	cleanup_free char *text = NULL;

	if (!s->log)
		return;
	json_set_string(v, "path", r->path);
	json_set_string(v, "head", head);
	json_set(v, "body", json_dup(r->body));
	text = json_print(v);
	fprintf(s->log, "%s\n", text);
	fflush(s->log);
}

/* A parameter that this server does not take. */
static void answer_refusal(struct connection *c, const char *body, size_t n)
{
	add_head(&c->out, NULL, 400, "application/json", n);
	buf_addf(&c->out, "content-length: %zu\r\n\r\n", strlen(body));
	buf_adds(&c->out, body);
}

/* Anthropic's own, Vertex's and Bedrock's. */
static bool is_anthropic(const char *path)
{
	return ends_with(path, "/messages") ||
	       ends_with(path, ":streamRawPredict") ||
	       ends_with(path, ":rawPredict") || ends_with(path, "/invoke");
}

/* Gemini's own, of its two services. */
static bool is_google(const char *path)
{
	return ends_with(path, ":generateContent") ||
	       ends_with(path, ":streamGenerateContent");
}

static enum dialect dialect_of(const char *path)
{
	return is_anthropic(path)		      ? DIALECT_ANTHROPIC
	       : is_google(path)		      ? DIALECT_GOOGLE
	       : ends_with(path, "/responses")	      ? DIALECT_RESPONSES
	       : starts_with(path, "/v1beta/openai/") ? DIALECT_GEMINI
						      : DIALECT_OPENAI;
}

static void serve(struct connection *c, struct server *s,
		  const struct request *r)
{
	enum dialect dialect = dialect_of(r->path);
	struct exchange *e = NULL;
	cleanup_free char *complaint = NULL;
	const char *refused = NULL;
	size_t n = ++s->served;

	log_request(s, r);
	if (!(is_anthropic(r->path) && !ends_with(r->path, "/messages")) &&
	    !is_google(r->path) && !ends_with(r->path, "/v1/messages") &&
	    !ends_with(r->path, "/v1/responses") &&
	    !ends_with(r->path, "/chat/completions")) {
		complaint = xasprintf("nothing is served at %s", r->path);
	} else {
		refused = script_refuses(&s->script, r->body);
		if (!refused)
			e = script_next(&s->script, r->body);
		if (e)
			complaint = script_complaint(e, r->body);
		else if (!refused)
			complaint = xstrdup("the script has no more exchanges");
		if (!complaint && !refused)
			complaint = refuse(dialect, r->path, r->body);
	}
	if (refused) {
		answer_refusal(c, refused, n);
	} else if (complaint) {
		s->complaints++;
		answer_error(c, dialect, complaint, n);
	} else {
		answer(c, e, dialect, r, n);
	}
}

static size_t content_length(const char *head, size_t len)
{
	static const char name[] = "\ncontent-length:";

	for (size_t i = 0; i + sizeof name < len; i++)
		if (strncasecmp(head + i, name, sizeof name - 1) == 0)
			return strtoul(head + i + sizeof name - 1, NULL, 10);
	return 0;
}

/* Takes a whole request from the front of `in`; false if there is none. */
static bool take_request(struct connection *c, struct server *s)
{
	const char *head_end = strstr(c->in.data, "\r\n\r\n"), *path;
	struct request r = {0};
	cleanup_error struct error *err = NULL;
	cleanup_json struct json *body = NULL;
	size_t head, length;

	if (!head_end)
		return false;
	head = (size_t)(head_end - c->in.data) + 4;
	length = content_length(c->in.data, head);
	if (c->in.len - head < length)
		return false;
	path = c->in.data + strcspn(c->in.data, " ");
	path += *path == ' ';
	r.path = xstrndup(path, strcspn(path, " ?\r\n"));
	r.head = c->in.data;
	r.head_len = head;
	err = json_parse(&body, c->in.data + head, length);
	r.body = body;
	if (err) {
		s->complaints++;
		answer_error(c, DIALECT_OPENAI, error_message(err),
			     ++s->served);
	} else {
		serve(c, s, &r);
	}
	free(r.path);
	memmove(c->in.data, c->in.data + head + length,
		c->in.len - head - length + 1);
	c->in.len -= head + length;
	return true;
}

void connection_read(struct connection *c, struct server *s)
{
	static char bytes[65536];
	ssize_t n = recv(c->fd, bytes, sizeof bytes, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		c->over = true;
		return;
	}
	buf_add(&c->in, bytes, (size_t)n);
	if (c->in.truncated) {
		c->over = true;
		return;
	}
	if (c->sent == c->out.len && !c->endless) {
		buf_clear(&c->out);
		c->sent = 0;
	}
	while (!c->last && !c->silent && !c->endless && take_request(c, s))
		;
}
