/*
 * Decides what follows a failed request: wait and ask again, or not. A pure
 * function: the caller waits.
 *
 * An outage passes, however long it takes: no connection, a reply that breaks
 * off, a rate limit, a server that is down. It is waited out until the patience
 * of the user is over. What a server says about this one request does not pass.
 */
#ifndef AGENT_PROVIDER_RETRY_H
#define AGENT_PROVIDER_RETRY_H

#include "core/base/base.h"

/* Longest wait where the server asks for none. */
#define RETRY_MOST_SECONDS 60.0

struct retry_facts {
	int status; /* 0: no connection, a cut or stalled stream */
	/* The reply came whole, with status 200, and cannot be read. */
	bool unreadable;
	/* Headers as they came; "" where absent. */
	const char *should_retry, *retry_after_ms, *retry_after;
	int64_t now;	   /* seconds since 1970, for a date in retry_after */
	unsigned failures; /* in a row: 1 after the first */
	/* Most repetitions after a failure that may be of this request alone:
	 * an unreadable reply, or a refusal that the server wants repeated. */
	unsigned retries;
	double waited;	 /* seconds since the first of these failures */
	double patience; /* most seconds of that; 0: no end */
	double unit;	 /* random in [0, 1) */
};

enum retry_verdict {
	RETRY_WAIT,    /* ask again after `seconds` */
	RETRY_OVER,    /* it may pass, but after the user's patience */
	RETRY_REFUSED, /* the same request will not get a reply */
};

struct retry_decision {
	enum retry_verdict verdict;
	double seconds;
	bool asked; /* the server asked for this wait */
};

/* The wait is what the server asked for, however long, else 0.5 s, doubled at
 * each failure up to RETRY_MOST_SECONDS, less a random part of up to a
 * quarter. */
struct retry_decision retry_decide(const struct retry_facts *f);

#endif
