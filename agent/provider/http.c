#include "agent/provider/http.h"
#include "core/base/clock.h"

#include <curl/curl.h>
#include <strings.h>

#define HEADERS_LIMIT	 ((size_t)64 << 10)
#define ERROR_BODY_LIMIT ((size_t)64 << 10)
#define POLL_MS		 100

struct http {
	CURLM *multi;
};

struct transfer {
	const struct http_request *request;
	struct http_reply *reply;
	CURL *easy;
	struct curl_slist *headers;
	struct error *err; /* error of on_body */
	size_t header_bytes, body_bytes;
	double started, last_byte;
	curl_off_t sent;
	bool too_big;
};

static void curl_free_list(struct curl_slist *list)
{
	/* The list holds the key. */
	for (struct curl_slist *l = list; l; l = l->next)
		explicit_bzero(l->data, strlen(l->data));
	curl_slist_free_all(list);
}

static void transfer_release(struct transfer *t)
{
	curl_easy_cleanup(t->easy);
	curl_free_list(t->headers);
	error_free(t->err);
}
DEFINE_RELEASE(transfer, struct transfer, transfer_release)
#define cleanup_transfer CLEANUP(transfer)

struct http *http_new(void)
{
	struct http *h = xcalloc(1, sizeof *h);

	if (curl_global_init(CURL_GLOBAL_DEFAULT))
		abort(); /* out of memory */
	h->multi = curl_multi_init();
	if (!h->multi)
		abort();
	return h;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	curl_multi_cleanup(h->multi);
	curl_global_cleanup();
	free(h);
}

void http_reply_release(struct http_reply *r)
{
	buf_release(&r->body);
}

/* Copies the value if the line is the header `name`. */
static void take_header(char *out, size_t size, const char *name,
			const char *line, size_t len)
{
	size_t n = strlen(name);

	if (len <= n || strncasecmp(line, name, n) != 0 || line[n] != ':')
		return;
	for (n++; n < len && (line[n] == ' ' || line[n] == '\t');)
		n++;
	while (len > n && strchr(" \t\r\n", line[len - 1]))
		len--;
	snprintf(out, size, "%.*s", (int)(len - n), line + n);
}

static void forget_headers(struct http_reply *r)
{
	r->content_type[0] = r->request_id[0] = '\0';
	r->retry_after[0] = r->retry_after_ms[0] = r->should_retry[0] = '\0';
}

static size_t on_header(char *line, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	struct http_reply *r = t->reply;
	size_t len = size * n;

	t->last_byte = clock_seconds();
	t->header_bytes += len;
	if (t->header_bytes > HEADERS_LIMIT) {
		t->too_big = true;
		return 0;
	}
	if (len > 5 && strncasecmp(line, "HTTP/", 5) == 0)
		forget_headers(r);
#define TAKE(field, name) \
	take_header(r->field, sizeof r->field, name, line, len)
	TAKE(content_type, "content-type");
	TAKE(request_id, "request-id");
	TAKE(request_id, "x-request-id");
	TAKE(retry_after, "retry-after");
	TAKE(retry_after_ms, "retry-after-ms");
	TAKE(should_retry, "x-should-retry");
#undef TAKE
	return len;
}

static size_t on_write(char *bytes, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	size_t len = size * n;
	long status = 0;

	t->last_byte = clock_seconds();
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status < 200 || status > 299) {
		buf_add(&t->reply->body, bytes, len);
		/* The first part of an error's body is enough. */
		return t->reply->body.truncated ? 0 : len;
	}
	t->body_bytes += len;
	if (t->body_bytes > t->request->body_limit) {
		t->too_big = true;
		return 0;
	}
	t->err = t->request->on_body(t->request->arg, bytes, len);
	return t->err ? 0 : len;
}

static int on_progress(void *arg, curl_off_t down_total, curl_off_t down,
		       curl_off_t up_total, curl_off_t up)
{
	struct transfer *t = arg;

	(void)down_total, (void)down, (void)up_total;
	if (up != t->sent)
		t->last_byte = clock_seconds();
	t->sent = up;
	return 0;
}

static struct error *add_headers(struct transfer *t)
{
	const struct strvec *all = t->request->headers;

	/* With "Expect:" curl waits a second before it sends a large body. But
	 * it would sign the line, which it does not send. */
	if (!t->request->sign.scope)
		t->headers = curl_slist_append(NULL, "Expect:");
	for (size_t i = 0; i < all->n; i++) {
		if (strpbrk(all->v[i], "\r\n"))
			return error_new(ERROR_USAGE,
					 "a header has a line break in it");
		t->headers = curl_slist_append(t->headers, all->v[i]);
	}
	if (!t->headers)
		abort(); /* out of memory */
	return NULL;
}

static CURLcode allow_web_only(CURL *e)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	return curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	return curl_easy_setopt(e, CURLOPT_PROTOCOLS,
				(long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static CURLcode sign(CURL *e, const struct http_request *r)
{
	if (!r->sign.scope)
		return CURLE_OK;
#if LIBCURL_VERSION_NUM >= 0x074b00
	return curl_easy_setopt(e, CURLOPT_AWS_SIGV4, r->sign.scope) ||
			       curl_easy_setopt(e, CURLOPT_USERNAME,
						r->sign.id) ||
			       curl_easy_setopt(e, CURLOPT_PASSWORD,
						r->sign.secret)
		       ? CURLE_UNKNOWN_OPTION
		       : CURLE_OK;
#else
	return CURLE_UNKNOWN_OPTION;
#endif
}

static struct error *set_up(struct transfer *t)
{
	const struct http_request *r = t->request;
	CURL *e = t->easy = curl_easy_init();
	CURLcode bad;

	if (!e)
		abort();
	TRY(add_headers(t));
	if (sign(e, r))
		return error_new(ERROR_SYSTEM, "this libcurl cannot sign "
					       "requests: 7.75 or later can");
	bad = curl_easy_setopt(e, CURLOPT_URL, r->url) || allow_web_only(e) ||
	      curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L) ||
	      curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L) ||
	      curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L) ||
	      curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L) ||
	      curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) ||
	      curl_easy_setopt(e, CURLOPT_HTTPHEADER, t->headers) ||
	      /* "": all that this libcurl can */
	      curl_easy_setopt(e, CURLOPT_ACCEPT_ENCODING, "") ||
	      curl_easy_setopt(e, CURLOPT_USERAGENT,
			       "avogit/" AVOGIT_VERSION) ||
	      curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
			       (curl_off_t)r->body_len) ||
	      curl_easy_setopt(e, CURLOPT_POSTFIELDS, r->body) ||
	      curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS,
			       (long)(r->connect_seconds * 1e3)) ||
	      curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->reply->detail) ||
	      curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header) ||
	      curl_easy_setopt(e, CURLOPT_HEADERDATA, t) ||
	      curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_write) ||
	      curl_easy_setopt(e, CURLOPT_WRITEDATA, t) ||
	      curl_easy_setopt(e, CURLOPT_XFERINFOFUNCTION, on_progress) ||
	      curl_easy_setopt(e, CURLOPT_XFERINFODATA, t) ||
	      curl_easy_setopt(e, CURLOPT_NOPROGRESS, 0L);
	return bad ? error_new(ERROR_SYSTEM, "libcurl lacks what it needs: "
					     "7.58 or later with TLS is")
		   : NULL;
}

static void set_end(struct http_reply *r, enum http_end end, const char *detail)
{
	r->end = end;
	if (detail)
		snprintf(r->detail, sizeof r->detail, "%s", detail);
}

static struct error *judge(struct transfer *t, CURLcode code)
{
	struct http_reply *r = t->reply;
	const char *detail = r->detail[0] ? NULL : curl_easy_strerror(code);

	if (t->err)
		return steal(&t->err);
	if (t->too_big) {
		set_end(r, HTTP_TOO_BIG, "the reply is over its size limit");
	} else if (code == CURLE_OK ||
		   (code == CURLE_WRITE_ERROR && r->body.truncated)) {
		r->end = HTTP_DONE;
		r->detail[0] = '\0';
	} else if (code == CURLE_UNSUPPORTED_PROTOCOL ||
		   code == CURLE_URL_MALFORMAT) {
		return error_new(ERROR_USAGE, "%s is not an http or https URL",
				 t->request->url);
	} else if (!r->status && (code == CURLE_COULDNT_CONNECT ||
				  code == CURLE_COULDNT_RESOLVE_HOST ||
				  code == CURLE_COULDNT_RESOLVE_PROXY ||
				  code == CURLE_OPERATION_TIMEDOUT ||
				  code == CURLE_SSL_CONNECT_ERROR ||
				  code == CURLE_PEER_FAILED_VERIFICATION)) {
		set_end(r, HTTP_NO_CONNECTION, detail);
	} else {
		set_end(r, HTTP_BROKEN, detail);
	}
	return NULL;
}

/* Checks the time limits; sets the reply's end if one has passed. */
static bool out_of_time(struct transfer *t)
{
	double now = clock_seconds();

	if (now - t->started > t->request->total_seconds)
		set_end(t->reply, HTTP_TOO_LONG, "the reply took too long");
	else if (now - t->last_byte > t->request->stall_seconds)
		set_end(t->reply, HTTP_STALLED, "the server fell silent");
	else
		return false;
	return true;
}

static struct error *drive(struct transfer *t, CURLM *multi)
{
	int running = 1, left;
	CURLMsg *done;

	for (;;) {
		CURLMcode bad = curl_multi_perform(multi, &running);

		done = curl_multi_info_read(multi, &left);
		if (done)
			return judge(t, done->data.result);
		if (!bad)
			bad = curl_multi_poll(multi, NULL, 0, POLL_MS, NULL);
		if (bad)
			return error_new(ERROR_SYSTEM, "libcurl: %s",
					 curl_multi_strerror(bad));
		if (t->request->stop && *t->request->stop)
			return error_new(ERROR_INTERRUPTED,
					 "stopped while waiting for the model");
		if (out_of_time(t))
			return NULL;
	}
}

static struct error *post(struct transfer *t, CURLM *multi)
{
	struct error *err;
	long status = 0;

	TRY(set_up(t));
	t->started = t->last_byte = clock_seconds();
	if (curl_multi_add_handle(multi, t->easy))
		abort();
	err = drive(t, multi);
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	t->reply->status = (int)status;
	curl_multi_remove_handle(multi, t->easy);
	return err;
}

struct error *http_post(struct http_reply *out, struct http *h,
			const struct http_request *request)
{
	cleanup_http_reply struct http_reply reply = {0};
	cleanup_transfer struct transfer t = {.request = request,
					      .reply = &reply};

	buf_init(&reply.body, ERROR_BODY_LIMIT);
	TRY(post(&t, h->multi));
	*out = reply;
	buf_init(&reply.body, 0);
	return NULL;
}

bool http_date(int64_t *seconds, const char *text)
{
	time_t t = curl_getdate(text, NULL);

	if (t == -1)
		return false;
	*seconds = t;
	return true;
}
