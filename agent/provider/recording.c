#include "agent/provider/recording.h"
#include "core/base/file.h"
#include "core/base/json_text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORDING_LIMIT ((size_t)256 << 20)
#define FIRST_LINE	"{\"avogit_recording\":1}"

/* Hashes the words of a conversation; the provider's bytes and ids are left
 * out, because they differ from run to run. */
static void conversation_digest(char out[HASH_HEX_LEN + 1],
				const struct conversation *c)
{
	struct hash *h = hash_new();

	hash_adds(h, c->system);
	for (size_t i = 0; i < c->n_tools; i++) {
		hash_adds(h, c->tools[i].name);
		hash_adds(h, c->tools[i].description);
		hash_adds(h, c->tools[i].schema);
	}
	for (size_t i = 0; i < c->n_turns; i++) {
		const struct conversation_turn *t = &c->turns[i];

		hash_adds(h, t->side == TURN_USER ? "user" : "assistant");
		hash_adds(h, t->text);
		for (size_t j = 0; j < t->n_calls; j++) {
			hash_adds(h, t->calls[j].name);
			hash_adds(h, t->calls[j].arguments);
			hash_adds(h, tool_result_text(&t->calls[j]));
		}
	}
	hash_finish(out, h);
}

/* ---- writing ----------------------------------------------------------- */

struct recorder {
	int fd;
	char *path;
};

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	close(r->fd);
	free(r->path);
	free(r);
}
DEFINE_CLEANUP(recorder, struct recorder, recorder_free)
#define cleanup_recorder CLEANUP(recorder)

struct error *provider_record(struct provider *p, const char *path)
{
	cleanup_recorder struct recorder *r = xcalloc(1, sizeof *r);
	struct stat st;

	r->path = xstrdup(path);
	r->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (r->fd < 0 || fstat(r->fd, &st) < 0)
		return error_errno("cannot record to %s", path);
	if (!st.st_size)
		TRY(write_all(r->fd, FIRST_LINE "\n", sizeof FIRST_LINE));
	recorder_free(p->recorder);
	p->recorder = steal(&r);
	return NULL;
}

static void add_int(struct buf *out, const char *key, int64_t v)
{
	buf_addf(out, ",\"%s\":%lld", key, (long long)v);
}

/* Adds the text as it is if it is one line, else as a JSON string. */
static void add_json(struct buf *out, const char *key, const char *text)
{
	if (!text)
		return;
	if (strpbrk(text, "\r\n"))
		json_text_member(out, key, text);
	else {
		buf_addf(out, ",\"%s\":", key);
		buf_adds(out, text);
	}
}

static void add_calls(struct buf *out, const struct reply *r)
{
	buf_adds(out, ",\"calls\":[");
	for (size_t i = 0; i < r->n_calls; i++) {
		const struct tool_call *call = &r->calls[i];

		buf_addf(out, "%s{\"id\":", i ? "," : "");
		json_text_quote(out, call->id, strlen(call->id));
		json_text_member(out, "name", call->name);
		add_json(out, "arguments", call->arguments);
		json_text_member(out, "invalid", call->invalid);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

struct error *recorder_note(struct recorder *r, const struct conversation *c,
			    const struct reply *reply)
{
	cleanup_buf struct buf line = BUF_INIT(RECORDING_LIMIT);
	char digest[HASH_HEX_LEN + 1];

	conversation_digest(digest, c);
	buf_addf(&line, "{\"request\":\"%s\",\"stop\":\"%s\"", digest,
		 reply_stop_name(reply->stop));
	json_text_member(&line, "model", reply->model);
	json_text_member(&line, "served_by", reply->served_by);
	json_text_member(&line, "text", reply->text);
	add_calls(&line, reply);
	add_int(&line, "dropped_calls", (int64_t)reply->dropped_calls);
	json_text_member(&line, "refusal", reply->refusal);
	json_text_member(&line, "refused_model", reply->refused_model);
	if (reply->usage.known) {
		add_int(&line, "input", reply->usage.input);
		add_int(&line, "cache_read", reply->usage.cache_read);
		add_int(&line, "cache_write", reply->usage.cache_write);
		add_int(&line, "cache_write_long",
			reply->usage.cache_write_long);
		add_int(&line, "output", reply->usage.output);
		add_int(&line, "reasoning", reply->usage.reasoning);
	}
	json_text_member(&line, "protocol", protocol_name(reply->protocol));
	add_json(&line, "raw", reply->raw);
	buf_adds(&line, "}\n");
	if (line.truncated)
		return error_new(ERROR_TOO_BIG, "a reply is too long for %s",
				 r->path);
	return error_wrap(write_all(r->fd, line.data, line.len),
			  "cannot record to %s", r->path);
}

/* ---- playing ----------------------------------------------------------- */

struct replay_provider {
	struct provider base;
	char *path;
	bool lenient;
	struct buf text;
	size_t at;    /* start of the next line */
	size_t turns; /* played so far */
};

/* A member's text: the decoded string, or other JSON as it is; or NULL. */
static char *text_of(struct json_text object, const char *key)
{
	struct json_text v = json_text_get(object, key);

	if (json_text_is(v, '"'))
		return json_text_string(v);
	return v.p ? xstrndup(v.p, v.len) : NULL;
}

static char *text_or_empty(struct json_text object, const char *key)
{
	char *s = json_text_string(json_text_get(object, key));

	return s ? s : xstrdup("");
}

static struct error *read_call(struct reply *r, size_t *cap, struct json_text v)
{
	struct tool_call call = {
		.id = text_or_empty(v, "id"),
		.name = text_or_empty(v, "name"),
		.arguments = text_of(v, "arguments"),
		.invalid = json_text_string(json_text_get(v, "invalid")),
	};
	struct json_text checked = {0};

	if (!call.arguments)
		call.arguments = xstrdup("{}");
	GROW(r->calls, r->n_calls, *cap);
	r->calls[r->n_calls++] = call;
	TRY(json_text_check(&checked, call.arguments, strlen(call.arguments)));
	if (!json_text_is(checked, '{'))
		return error_new(ERROR_MALFORMED,
				 "the arguments of a call are not an object");
	if (!*call.id) {
		free(call.id);
		r->calls[r->n_calls - 1].id = xasprintf("call_%zu", r->n_calls);
	}
	return NULL;
}

/* Reads a count; false if it is absent or negative. */
static bool read_count(int64_t *out, struct json_text v, const char *key)
{
	return json_text_int(json_text_get(v, key), out) && *out >= 0;
}

static void read_usage(struct usage *u, struct json_text v)
{
	struct usage read = {0};

	read.known = read_count(&read.input, v, "input") &&
		     read_count(&read.output, v, "output");
	if (!read.known)
		return;
	if (!read_count(&read.cache_read, v, "cache_read"))
		read.cache_read = 0;
	if (!read_count(&read.cache_write, v, "cache_write"))
		read.cache_write = 0;
	if (!read_count(&read.cache_write_long, v, "cache_write_long"))
		read.cache_write_long = 0;
	if (!read_count(&read.reasoning, v, "reasoning"))
		read.reasoning = 0;
	*u = read;
}

static struct error *read_stop(struct reply *r, struct json_text v)
{
	cleanup_free char *stop = text_or_empty(v, "stop");

	if (!*stop)
		r->stop = r->n_calls ? REPLY_TOOLS : REPLY_END;
	else if (!reply_stop_parse(&r->stop, stop))
		return error_new(ERROR_MALFORMED, "no reply ends by '%s'",
				 stop);
	if (r->n_calls && r->stop != REPLY_TOOLS)
		return error_new(ERROR_MALFORMED,
				 "a reply has calls and does not wait for "
				 "them");
	return NULL;
}

static enum protocol read_protocol(struct json_text v)
{
	struct json_text name = json_text_get(v, "protocol");

	return json_text_equals(name, "openai")	     ? PROTOCOL_OPENAI
	       : json_text_equals(name, "responses") ? PROTOCOL_RESPONSES
						     : PROTOCOL_ANTHROPIC;
}

static struct error *read_raw(struct reply *r, struct json_text v)
{
	cleanup_free char *raw = text_of(v, "raw");
	struct json_text checked = {0};
	bool is_message;

	r->protocol = read_protocol(v);
	is_message = r->protocol == PROTOCOL_OPENAI;
	if (!raw)
		return NULL;
	TRY(json_text_check(&checked, raw, strlen(raw)));
	if (!json_text_is(checked, is_message ? '{' : '['))
		return error_new(ERROR_MALFORMED, "raw is of another protocol");
	r->raw = steal(&raw);
	return NULL;
}

static struct error *read_reply(struct reply *r, struct json_text v)
{
	struct json_text calls = json_text_get(v, "calls"), call;
	int64_t dropped = 0;
	size_t at = 0, cap = 0;

	r->text = text_or_empty(v, "text");
	r->model = text_or_empty(v, "model");
	r->served_by = text_or_empty(v, "served_by");
	r->request_id = xstrdup("");
	r->refusal = text_or_empty(v, "refusal");
	r->refused_model = json_text_string(json_text_get(v, "refused_model"));
	r->attempts = 1;
	if (read_count(&dropped, v, "dropped_calls"))
		r->dropped_calls = (size_t)dropped;
	if (json_text_is(calls, '['))
		while (json_text_next(calls, &at, NULL, &call))
			TRY(read_call(r, &cap, call));
	read_usage(&r->usage, v);
	TRY(read_stop(r, v));
	return read_raw(r, v);
}

/* Finds the next line that is not empty; false at the end. */
static bool next_line(struct replay_provider *p, const char **line, size_t *len)
{
	do {
		*line = p->text.data + p->at;
		*len = strcspn(*line, "\n");
		p->at += *len + (p->text.data[p->at + *len] == '\n');
	} while (!*len && p->at < p->text.len);
	return *len > 0;
}

static struct error *check_request(const struct replay_provider *p,
				   const struct conversation *c,
				   struct json_text v)
{
	struct json_text request = json_text_get(v, "request");
	char digest[HASH_HEX_LEN + 1];

	conversation_digest(digest, c);
	if (p->lenient || !request.p || json_text_equals(request, digest))
		return NULL;
	return error_new(ERROR_MOVED,
			 "reply %zu answers another conversation than this "
			 "one: the task, a tool or a result has changed; "
			 "record it again, or play it leniently",
			 p->turns + 1);
}

static struct error *play(struct replay_provider *p, struct reply *r,
			  const struct conversation *c)
{
	struct json_text v;
	const char *line;
	size_t len;

	if (!next_line(p, &line, &len))
		return error_new(ERROR_NOT_FOUND,
				 "the recording ends after %zu replies",
				 p->turns);
	TRY(json_text_check(&v, line, len));
	TRY(check_request(p, c, v));
	TRY(read_reply(r, v));
	p->turns++;
	return NULL;
}

static struct error *replay_turn(struct provider *self, struct reply *out,
				 const struct conversation *c,
				 const struct turn_limits *limits)
{
	struct replay_provider *p = (struct replay_provider *)self;
	cleanup_reply struct reply r = {0};

	if (limits->stop && *limits->stop)
		return error_new(ERROR_INTERRUPTED, "stopped");
	TRY(error_wrap(play(p, &r, c), "%s", p->path));
	provider_spent(&p->base, r.model, &r.usage, false);
	*out = r;
	r = (struct reply){0};
	return NULL;
}

static void replay_free(struct provider *self)
{
	struct replay_provider *p = (struct replay_provider *)self;

	provider_release(&p->base);
	free(p->path);
	buf_release(&p->text);
	free(p);
}

static struct error *check_first_line(struct replay_provider *p)
{
	const char *line = "";
	size_t len = 0;
	int64_t version = 0;
	struct json_text v = {0};
	cleanup_error struct error *err = NULL;

	if (next_line(p, &line, &len))
		err = json_text_check(&v, line, len);
	if (err ||
	    !json_text_int(json_text_get(v, "avogit_recording"), &version) ||
	    version != 1)
		return error_new(ERROR_MALFORMED,
				 "%s is not a recording: its first line is "
				 "not " FIRST_LINE,
				 p->path);
	return NULL;
}

struct error *replay_text(struct provider **out, const char *name,
			  const char *text, size_t len, bool lenient)
{
	struct replay_provider *p = xcalloc(1, sizeof *p);
	cleanup_provider struct provider *owner = &p->base;

	p->base.turn = replay_turn;
	p->base.free = replay_free;
	p->path = xstrdup(name);
	p->lenient = lenient;
	buf_init(&p->text, RECORDING_LIMIT);
	buf_add(&p->text, text, len);
	if (p->text.truncated)
		return error_new(ERROR_TOO_BIG, "%s is too long", name);
	if (memchr(p->text.data, '\0', p->text.len))
		return error_new(ERROR_MALFORMED, "%s has a NUL in it", name);
	TRY(check_first_line(p));
	*out = steal(&owner);
	return NULL;
}

struct error *replay_provider(struct provider **out, const char *path,
			      bool lenient)
{
	cleanup_buf struct buf text = BUF_INIT(RECORDING_LIMIT);

	TRY(file_read(&text, path));
	return replay_text(out, path, text.data, text.len, lenient);
}
