/*
 * POST over HTTP(S) by libcurl; only http.c includes it. A server's reply is
 * untrusted: headers and body are bounded, redirects are not followed (the key
 * must not go to another host), the bounds hold for what a compressed reply
 * expands to, only http and https are used, and TLS certificates are checked. Proxies and certificate
 * authorities are libcurl's defaults (HTTPS_PROXY, SSL_CERT_FILE, ...).
 */
#ifndef AGENT_PROVIDER_HTTP_H
#define AGENT_PROVIDER_HTTP_H

#include "core/base/buf.h"
#include "core/base/strvec.h"

struct http; /* keeps connections open between requests */

struct http *http_new(void) MUST_CHECK;
void http_free(struct http *h);
DEFINE_CLEANUP(http, struct http, http_free)
#define cleanup_http CLEANUP(http)

/* Gets the body of a 2xx reply in pieces. An error ends the transfer, and
 * http_post returns it. */
typedef struct error *http_body_fn(void *arg, const char *bytes, size_t len);

struct http_request {
	const char *url;
	const struct strvec *headers; /* "Name: value" */
	/* Signed as Amazon asks for (SigV4) where `scope`, which is
	 * "aws:amz:REGION:SERVICE", is not NULL. */
	struct {
		const char *scope, *id, *secret;
	} sign;
	const char *body;
	size_t body_len;
	double connect_seconds;
	double stall_seconds; /* longest time without a byte either way */
	double total_seconds;
	size_t body_limit;
	const volatile int *stop; /* non-zero: give up; may be NULL */
	http_body_fn *on_body;
	void *arg;
};

/* How the exchange ended; a reply of any status is HTTP_DONE. */
enum http_end {
	HTTP_DONE,
	HTTP_NO_CONNECTION, /* no address, refused, TLS failed, time-out */
	HTTP_BROKEN,	    /* cut off, or not HTTP */
	HTTP_STALLED,
	HTTP_TOO_LONG, /* total_seconds */
	HTTP_TOO_BIG,
};

struct http_reply {
	enum http_end end;
	char detail[256]; /* for people; "" when done */
	int status;	  /* 0: no reply yet */
	char content_type[128];
	char request_id[128];
	char retry_after[64];
	char retry_after_ms[32];
	char should_retry[16];
	struct buf body; /* of a reply that is not 2xx: its first 64 KiB */
};
void http_reply_release(struct http_reply *r);
DEFINE_RELEASE(http_reply, struct http_reply, http_reply_release)
#define cleanup_http_reply CLEANUP(http_reply)

/* ERROR_INTERRUPTED when stopped, on_body's own errors, and ERROR_USAGE for a
 * malformed URL. All network failures are in *out. */
struct error *http_post(struct http_reply *out, struct http *h,
			const struct http_request *request) MUST_CHECK;

/* Parses an HTTP date into seconds since 1970; false if it is malformed. */
bool http_date(int64_t *seconds, const char *text);

#endif
