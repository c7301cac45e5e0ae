/* The live provider: one turn takes as many requests as needed. */
#include "agent/provider/habit.h"
#include "agent/provider/http.h"
#include "agent/provider/overflow.h"
#include "agent/provider/retry.h"
#include "agent/provider/sse.h"
#include "agent/provider/wire.h"
#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/base/utf8.h"

#define BODY_LIMIT	   ((size_t)64 << 20)
#define EVENT_LIMIT	   ((size_t)16 << 20)
#define MESSAGE_LIMIT	   600
#define DEFAULT_MAX_TOKENS 16384

/* ---- one exchange --------------------------------------------------------
 *
 * One request of a live provider and its result: a reply, or a failure of the
 * network, the status or the bytes.
 */

struct exchange {
	const struct wire *wire;
	struct draft draft;
	struct sse sse;
	struct buf whole; /* a body that is not a stream */
	bool is_stream, decided, saw_done;
	bool unreadable; /* a whole reply of status 200 that makes no sense */
	char *kind;	 /* overflow_kind() of the failure; or NULL */
	struct http_reply http;
};

static void exchange_release(struct exchange *e)
{
	draft_release(&e->draft);
	sse_release(&e->sse);
	buf_release(&e->whole);
	http_reply_release(&e->http);
	free(e->kind);
}
DEFINE_RELEASE(exchange, struct exchange, exchange_release)
#define cleanup_exchange CLEANUP(exchange)

/* Checks JSON that a server sent. A byte that belongs to no character becomes
 * U+FFFD, in `clean`, which *out borrows then. */
static struct error *check_json(struct json_text *out, struct buf *clean,
				const char *data, size_t len)
{
	struct error *err = json_text_check(out, data, len);

	if (!err)
		return NULL;
	utf8_add_clean(clean, data, len);
	if (clean->len == len && memcmp(clean->data, data, len) == 0)
		return err;
	error_free(err);
	return json_text_check(out, clean->data, clean->len);
}

static struct error *on_event(void *arg, const char *name, const char *data,
			      size_t len)
{
	struct exchange *e = arg;
	cleanup_buf struct buf clean = BUF_INIT(SIZE_MAX / 2);
	struct json_text event;

	if (e->saw_done || !len)
		return NULL;
	if (len == 6 && memcmp(data, "[DONE]", 6) == 0) {
		e->saw_done = e->draft.ended = true;
		return NULL;
	}
	TRY(check_json(&event, &clean, data, len));
	TRY(e->wire->event(&e->draft, name, event));
	if (e->draft.failure.status && !e->kind)
		e->kind = overflow_kind(event);
	return NULL;
}

/* A stream never begins with a brace, a bracket or a tag. Servers without
 * streaming send the whole reply even if a stream was requested, and proxies a
 * web page. */
static struct error *on_body(void *arg, const char *bytes, size_t len)
{
	struct exchange *e = arg;

	for (size_t i = 0; i < len && !e->decided; i++)
		if (!strchr(" \t\r\n", bytes[i]) || !bytes[i]) {
			e->decided = true;
			e->is_stream = !strchr("{[<", bytes[i]);
		}
	if (e->is_stream)
		return sse_feed(&e->sse, bytes, len);
	buf_add(&e->whole, bytes, len);
	return NULL;
}

/* Says what a web page is called, where a reply was due. */
static struct error *refuse_page(const struct buf *page)
{
	const char *title = strcasestr(page->data, "<title>");
	cleanup_buf struct buf name = BUF_INIT(160);

	if (title) {
		title += strlen("<title>");
		text_add_line(&name, title, strcspn(title, "<"));
	}
	return error_new(ERROR_MALFORMED,
			 "a web page came where a reply was due%s%s%s: is "
			 "base_url right, and does no proxy answer instead?",
			 name.len ? " (\"" : "", name.data,
			 name.len ? "\")" : "");
}

static struct error *take_whole(struct exchange *e)
{
	cleanup_buf struct buf clean = BUF_INIT(SIZE_MAX / 2);
	size_t blank = strspn(e->whole.data, " \t\r\n");
	struct json_text body;

	if (e->whole.data[blank] == '<')
		return refuse_page(&e->whole);
	TRY(check_json(&body, &clean, e->whole.data, e->whole.len));
	if (e->wire->failed(&e->draft.failure, body, 0)) {
		e->kind = overflow_kind(body);
		return NULL;
	}
	return e->wire->whole(&e->draft, body);
}

static void exchange_init(struct exchange *e, const struct wire *wire)
{
	*e = (struct exchange){.wire = wire};
	draft_init(&e->draft);
	sse_init(&e->sse, EVENT_LIMIT, on_event, e);
	buf_init(&e->whole, BODY_LIMIT);
}

/* Handles the end of a 2xx body. */
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
	cleanup_buf struct buf clean = BUF_INIT(SIZE_MAX / 2);
	cleanup_error struct error *err =
		check_json(&body, &clean, b->data, b->len);

	if (!err)
		e->kind = overflow_kind(body);
	if (!err && e->wire->failed(f, body, e->http.status))
		return;
	f->status = e->http.status;
	f->message = xstrndup(b->data, strnlen(b->data, MESSAGE_LIMIT));
}

/* Makes the request; sets body_limit, on_body and arg. *out is filled if
 * e->draft.failure has no message afterwards; a message with status 0 means
 * that no reply came. ERROR_INTERRUPTED and ERROR_USAGE as for http_post. */
static struct error *exchange_run(struct reply *out, struct exchange *e,
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
	draft_mend_escapes(out->raw);
	if (err && !f->status) {
		f->message = xstrdup(error_message(err));
		e->unreadable = e->http.end == HTTP_DONE ||
				e->http.end == HTTP_TOO_BIG ||
				error_is(err, ERROR_MALFORMED);
	}
	error_free(err);
	return NULL;
}

/* ---- failures ------------------------------------------------------------ */

/* Waiting does not mend it, and neither does another conversation: the key, the
 * account, the address or the model are wrong. */
static bool failure_is_of_settings(int status)
{
	return status / 100 == 3 || (status >= 401 && status <= 405) ||
	       status == 407 || status == 410;
}

/* ---- a live provider ----------------------------------------------------- */

struct live {
	struct provider base;
	const struct wire *wire;
	struct http *http;
	struct api_key key;
	struct random random;
	char *base_url, *model, *fallback_model, *effort;
	struct strvec extra_headers;
	struct error *(*renew_key)(void *arg, struct api_key *out);
	void *renew_arg;
	struct buf url;
	bool streaming, long_cache, has_temperature;
	double temperature;
	double connect_seconds, stall_seconds, total_seconds, patience;
	int64_t max_tokens;
	unsigned retries;
	struct habit habits[2]; /* of model and fallback_model */
};

/* ---- one request ------------------------------------------------------- */

static struct habit *habit_of(struct live *p, const char *model)
{
	return &p->habits[!str_eq(model, p->model)];
}

static struct wire_request request_for(struct live *p, const char *model,
				       const struct conversation *c,
				       const struct turn_limits *limits)
{
	const struct habit *h = habit_of(p, model);
	int64_t most = limits->max_tokens ? limits->max_tokens : p->max_tokens;

	return (struct wire_request){
		.base_url = p->base_url,
		.model = model,
		.max_tokens = habit_tokens(h, most, conversation_size(c)),
		.temperature = p->has_temperature ? &p->temperature : NULL,
		.effort = p->effort && h->effort ? h->effort : p->effort,
		.streaming = p->streaming,
		.long_cache = p->long_cache,
		.left_out = h->left_out,
	};
}

static void wipe_headers(struct strvec *headers)
{
	for (size_t i = 0; i < headers->n; i++)
		explicit_bzero(headers->v[i], strlen(headers->v[i]));
	strvec_release(headers);
}
DEFINE_RELEASE(headers, struct strvec, wipe_headers)
#define cleanup_headers CLEANUP(headers)

static struct error *send(struct reply *out, struct exchange *e, struct live *p,
			  const char *model, const struct buf *body,
			  double seconds, const volatile int *stop)
{
	bool streaming = p->streaming && !habit_leaves_out(habit_of(p, model),
							   p->wire, "stream");

	if (p->wire->streams && !p->wire->streams(p->base_url))
		streaming = false;
	cleanup_headers struct strvec headers = STRVEC_INIT;
	cleanup_free char *scope =
		p->key.aws_id
			? xasprintf("aws:amz:%s:bedrock", p->key.aws_region)
			: NULL;
	struct http_request request = {
		.url = p->url.data,
		.headers = &headers,
		.sign = {scope, p->key.aws_id, p->key.secret},
		.body = body->data,
		.body_len = body->len,
		.connect_seconds = p->connect_seconds,
		/* Without a stream, no byte comes before the end. */
		.stall_seconds = streaming ? p->stall_seconds
					   : p->total_seconds,
		.total_seconds = MIN(seconds, p->total_seconds),
		.stop = stop,
	};

	p->wire->headers(&headers, &p->key, p->base_url);
	strvec_extend(&headers, &p->extra_headers);
	return exchange_run(out, e, p->http, &request);
}

/* ---- handling a failure -------------------------------------------------- */

/* The failure as text for a terminal: one line, bounded, without the key. */
static char *tell(const struct live *p, const struct draft_failure *f)
{
	cleanup_buf struct buf out = BUF_INIT(MESSAGE_LIMIT);
	cleanup_free char *safe = NULL;

	if (f->status)
		buf_addf(&out, "status %d", f->status);
	if (f->message && *f->message) {
		buf_adds(&out, out.len ? ", " : "");
		text_add_line(&out, f->message, strlen(f->message));
	}
	safe = redact(out.data, &p->key);
	return steal(&safe);
}

/* Some models of OpenAI call no tools by Chat Completions, and say where they
 * do. */
static char *learn_protocol(struct live *p, const struct draft_failure *f)
{
	if (p->wire != &wire_openai || f->status != 400 || !f->message ||
	    !strstr(f->message, "v1/responses"))
		return NULL;
	p->wire = &wire_responses;
	memset(p->habits, 0, sizeof p->habits);
	return xstrdup("it is asked by the Responses protocol from now on");
}

/* Tells what was learnt, `what` (may be NULL: nothing), and why. Returns false
 * if nothing was. */
static bool say_learnt(struct live *p, const char *model, const char *what,
		       const struct draft_failure *f,
		       const struct turn_limits *limits)
{
	cleanup_free char *said = NULL, *sentence = NULL;

	if (!what)
		return false;
	if (!*what || !limits->on_notice)
		return true;
	said = tell(p, f);
	sentence = xasprintf("%s: %s (%s)", model, what, said);
	limits->on_notice(limits->arg, sentence);
	return true;
}

/* Learns from a reply that was to be too long. */
static bool learn_length(struct live *p, const struct wire_request *r,
			 const struct draft_failure *f,
			 const struct conversation *c,
			 const struct turn_limits *limits)
{
	cleanup_free char *what = habit_learn_tokens(
		habit_of(p, r->model), f, r->max_tokens, conversation_size(c));

	return say_learnt(p, r->model, what, f, limits);
}

/* Learns from any other refusal. */
static bool learn(struct live *p, const struct wire_request *r,
		  const struct draft_failure *f,
		  const struct turn_limits *limits)
{
	cleanup_free char *what = learn_protocol(p, f);

	if (!what)
		what = habit_learn_parameter(habit_of(p, r->model), f, p->wire,
					     r->effort);
	return say_learnt(p, r->model, what, f, limits);
}

static struct error *refused(const struct live *p,
			     const struct draft_failure *f)
{
	cleanup_free char *said = tell(p, f);
	const char *hint = "";

	if (f->status == 401 || f->status == 403)
		hint = p->key.secret ? "; is the key the right one?"
				     : "; no key was found";
	else if (f->status == 404)
		hint = "; are base_url and model right?";
	else if (f->status / 100 == 3)
		hint = "; redirects are not followed: set base_url to the "
		       "final address";
	return error_new(ERROR_REFUSED, "%s gave no reply: %s%s", p->base_url,
			 said, hint);
}

/* ---- waiting ------------------------------------------------------------- */

#define TELL_SECONDS  60 /* from one sentence for people to the next */
#define SHORT_SECONDS 3	 /* a wait of which people are not told */

/* Failures in a row of one turn. */
struct outage {
	unsigned failures;
	double began, told; /* clock_run_seconds(); told: 0 for never */
};

static struct error *out_of_time(void)
{
	return error_new(ERROR_INTERRUPTED,
			 "the time for the model's reply is up");
}

static struct error *out_of_patience(const struct live *p,
				     const struct outage *o,
				     const struct draft_failure *f,
				     const struct retry_decision *d)
{
	cleanup_free char *said = tell(p, f);
	cleanup_free char *wait = clock_format_span(d->seconds);
	cleanup_free char *patience = clock_format_span(p->patience);
	cleanup_free char *asks =
		d->asked ? xasprintf("; it asks for a wait of %s", wait) : NULL;

	return error_new(ERROR_SYSTEM,
			 "%s gave no reply in %u attempt%s, and the patience "
			 "of %s is over: %s%s",
			 p->base_url, o->failures, o->failures == 1 ? "" : "s",
			 patience, said, asks ? asks : "");
}

/* At most one sentence a minute, and none of a wait that is short. */
static void tell_people(const struct live *p, struct outage *o,
			const struct draft_failure *f, double left,
			const struct turn_limits *limits)
{
	double now = clock_run_seconds();
	cleanup_free char *said = NULL, *so_far = NULL, *more = NULL;
	cleanup_free char *sentence = NULL;

	if (!limits->on_minute ||
	    (o->told > 0 && now - o->told < TELL_SECONDS) ||
	    (o->told <= 0 && left < SHORT_SECONDS))
		return;
	o->told = now;
	said = tell(p, f);
	so_far = clock_format_span(now - o->began);
	more = clock_format_span(left);
	sentence = xasprintf("%s has given no reply for %s (%s): again in %s",
			     p->base_url, so_far, said, more);
	limits->on_minute(limits->arg, sentence);
}

/* Waits, and tells people every minute of it. */
static struct error *wait_for(const struct live *p, struct outage *o,
			      const struct draft_failure *f, double seconds,
			      const struct turn_limits *limits)
{
	double end = clock_run_seconds() + seconds, left;

	while ((left = end - clock_run_seconds()) > 0) {
		tell_people(p, o, f, left, limits);
		if (!clock_wait(MIN(left, TELL_SECONDS), limits->stop))
			return error_new(ERROR_INTERRUPTED,
					 "stopped while waiting for the model");
	}
	return NULL;
}

static struct retry_decision decide(struct live *p, const struct exchange *e,
				    const struct outage *o)
{
	const struct retry_facts facts = {
		.status = e->draft.failure.status,
		.unreadable = e->unreadable,
		.should_retry = e->http.should_retry,
		.retry_after_ms = e->http.retry_after_ms,
		.retry_after = e->http.retry_after,
		.now = clock_wall_us() / 1000000,
		.failures = o->failures,
		.retries = p->retries,
		.waited = clock_run_seconds() - o->began,
		.patience = p->patience,
		.unit = random_unit(&p->random),
	};

	return retry_decide(&facts);
}

/* Waits after a failure. *again: the request is to be made again; else it will
 * get no reply, which ends the step. */
static struct error *wait_again(bool *again, struct live *p,
				const struct exchange *e, struct outage *o,
				double until, const struct turn_limits *limits)
{
	const struct draft_failure *f = &e->draft.failure;
	struct retry_decision d;
	cleanup_free char *said = NULL, *sentence = NULL;

	if (!o->failures++)
		o->began = clock_run_seconds();
	d = decide(p, e, o);
	*again = d.verdict == RETRY_WAIT;
	if (d.verdict == RETRY_OVER)
		return out_of_patience(p, o, f, &d);
	if (!*again)
		return failure_is_of_settings(f->status) ? refused(p, f) : NULL;
	said = tell(p, f);
	sentence = xasprintf("%s: again in %.1f s", said, d.seconds);
	if (limits->on_wait)
		limits->on_wait(limits->arg, sentence);
	if (clock_run_seconds() + d.seconds > until) {
		tell_people(p, o, f, d.seconds, limits);
		return out_of_time();
	}
	return wait_for(p, o, f, d.seconds, limits);
}

/* ---- a turn ------------------------------------------------------------ */

static void complete(struct reply *out, struct exchange *e, const char *model,
		     unsigned attempts)
{
	if (!out->text)
		out->text = xstrdup("");
	out->model = xstrdup(model);
	out->served_by = e->draft.model ? steal(&e->draft.model) : xstrdup("");
	out->request_id = xstrdup(e->http.request_id);
	out->usage = e->draft.usage;
	if (!out->refusal)
		out->refusal = e->draft.explanation
				       ? steal(&e->draft.explanation)
				       : xstrdup("");
	out->attempts = attempts;
}

/* A reply that says why there is none, in the server's words. */
static void take_words(struct reply *out, const struct live *p,
		       const struct draft_failure *f, enum reply_stop stop)
{
	reply_release(out);
	*out = (struct reply){.stop = stop, .refusal = tell(p, f)};
}

enum try_outcome { ANSWERED, LEARNT, FAILED };

static struct error *try_once(enum try_outcome *outcome, struct reply *out,
			      struct exchange *e, struct live *p,
			      const char *model, const struct conversation *c,
			      double until, const struct turn_limits *limits)
{
	cleanup_reply struct reply reply = {0};
	cleanup_buf struct buf body = BUF_INIT(SIZE_MAX / 2);
	struct draft_failure *f = &e->draft.failure;
	const struct wire_request request = request_for(p, model, c, limits);
	double left = until - clock_run_seconds();

	if (left <= 0)
		return out_of_time();
	p->wire->request(&body, c, &request);
	buf_clear(&p->url);
	p->wire->url(&p->url, &request);
	TRY(send(&reply, e, p, model, &body, left, limits->stop));
	if (f->status || f->message) {
		bool learnt = learn_length(p, &request, f, c, limits);

		if (learnt ||
		    !overflow_is_full(f->status, e->kind, f->message)) {
			provider_spent(&p->base, model, &e->draft.usage, true);
			learnt = learnt || learn(p, &request, f, limits);
			*outcome = learnt ? LEARNT : FAILED;
			return NULL;
		}
		take_words(&reply, p, f, REPLY_CONTEXT_FULL);
	}
	/* A request that exceeds the context costs nothing. */
	provider_spent(&p->base, model, &e->draft.usage,
		       reply.stop == REPLY_CONTEXT_FULL);
	*outcome = ANSWERED;
	*out = reply;
	reply = (struct reply){0};
	return NULL;
}

/* A command's token is good for an hour, say, and a run takes a week. Returns
 * false if the key is the one it had before. */
static bool renew_key(struct live *p)
{
	cleanup_key struct api_key key = {0};
	cleanup_error struct error *err = NULL;

	if (!p->renew_key)
		return false;
	err = p->renew_key(p->renew_arg, &key);
	if (err || !key.secret ||
	    (p->key.secret && str_eq(key.secret, p->key.secret)))
		return false;
	key_release(&p->key);
	p->key = key;
	key = (struct api_key){0};
	return true;
}

static struct error *ask(struct reply *out, struct live *p, const char *model,
			 const struct conversation *c, double until,
			 const struct turn_limits *limits)
{
	struct outage outage = {0};
	bool renewed = false;

	for (unsigned attempts = 1;; attempts++) {
		cleanup_exchange struct exchange e;
		enum try_outcome outcome = FAILED;
		bool again = true;

		exchange_init(&e, p->wire);
		TRY(try_once(&outcome, out, &e, p, model, c, until, limits));
		if (outcome == FAILED && !renewed &&
		    e.draft.failure.status == 401 && renew_key(p)) {
			renewed = true;
			continue;
		}
		if (outcome == FAILED)
			TRY(wait_again(&again, p, &e, &outage, until, limits));
		if (outcome == FAILED && !again)
			take_words(out, p, &e.draft.failure, REPLY_REJECTED);
		if (outcome == ANSWERED || !again) {
			complete(out, &e, model, attempts);
			return NULL;
		}
	}
}

static struct error *turn(struct provider *self, struct reply *out,
			  const struct conversation *c,
			  const struct turn_limits *limits)
{
	struct live *p = (struct live *)self;
	double until = clock_run_seconds() +
		       (limits->wall_seconds > 0 ? limits->wall_seconds : 1e9);
	cleanup_reply struct reply refused = {0};

	TRY(ask(&refused, p, p->model, c, until, limits));
	if (refused.stop != REPLY_REFUSED || !p->fallback_model) {
		*out = refused;
		refused = (struct reply){0};
		return NULL;
	}
	TRY(ask(out, p, p->fallback_model, c, until, limits));
	out->refused_model = steal(&refused.model);
	if (!*out->refusal) {
		free(out->refusal);
		out->refusal = steal(&refused.refusal);
	}
	return NULL;
}

static void live_free(struct provider *self)
{
	struct live *p = (struct live *)self;

	provider_release(&p->base);
	http_free(p->http);
	key_release(&p->key);
	free(p->base_url);
	free(p->model);
	free(p->fallback_model);
	free(p->effort);
	wipe_headers(&p->extra_headers);
	buf_release(&p->url);
	free(p);
}

static struct error *check(const struct provider_config *c)
{
	const char *url = c->base_url;

	if (!c->model || !*c->model)
		return error_new(ERROR_USAGE, "the provider has no model: "
					      "name one");
	if (url && !starts_with(url, "https://") &&
	    !starts_with(url, "http://"))
		return error_new(ERROR_USAGE,
				 "base_url %s is not an http or https URL",
				 url);
	return NULL;
}

static double or_else(double v, double otherwise)
{
	return v > 0 ? v : otherwise;
}

static void set_url(struct live *p, const char *base)
{
	p->base_url = xstrdup(base);
	buf_init(&p->url, 16384);
}

struct error *live_provider(struct provider **out,
			    const struct provider_config *c,
			    struct api_key *key)
{
	struct live *p;

	TRY(check(c));
	p = xcalloc(1, sizeof *p);
	p->base.turn = turn;
	p->base.free = live_free;
	p->wire = wire_of(c->protocol);
	set_url(p, c->base_url ? c->base_url : p->wire->vendor_url);
	p->http = http_new();
	p->key = *key;
	*key = (struct api_key){0};
	random_init(&p->random, random_seed());
	p->model = xstrdup(c->model);
	p->fallback_model = xstrdup_null(c->fallback_model);
	p->effort = xstrdup_null(c->effort);
	p->streaming = c->streaming;
	p->long_cache = c->long_cache;
	p->has_temperature = c->temperature != NULL;
	p->temperature = c->temperature ? *c->temperature : 0;
	p->max_tokens = c->max_tokens ? c->max_tokens : DEFAULT_MAX_TOKENS;
	p->connect_seconds = or_else(c->connect_seconds, 10);
	p->stall_seconds = or_else(c->stall_seconds, 120);
	p->total_seconds = or_else(c->total_seconds, 1800);
	p->retries = c->retries;
	p->renew_key = c->renew_key;
	p->renew_arg = c->renew_arg;
	p->patience = c->patience_seconds;
	if (c->extra_headers)
		strvec_extend(&p->extra_headers, c->extra_headers);
	*out = &p->base;
	return NULL;
}
