/*
 * Decides whether and when to repeat a failed request, by the rule of the
 * vendors' own clients. A pure function: the caller waits.
 */
#ifndef AGENT_PROVIDER_RETRY_H
#define AGENT_PROVIDER_RETRY_H

#include "core/base/base.h"

/* Longest wait accepted from a server. */
#define RETRY_MOST_SECONDS 120.0

struct retry_facts {
	int status; /* 0: no connection, a cut or stalled stream */
	/* Headers as they came; "" where absent. */
	const char *should_retry, *retry_after_ms, *retry_after;
	int64_t now;	   /* seconds since 1970, for a date in retry_after */
	unsigned attempts; /* requests made so far: 1 after the first */
	unsigned retries;  /* most retries after the first request */
	double unit;	   /* random in [0, 1) */
};

struct retry_decision {
	bool again;
	double seconds;
};

/* The wait is what the server asked for, else 0.5 s, doubled at each attempt up
 * to 8 s, less a random part of up to a quarter. */
struct retry_decision retry_decide(const struct retry_facts *f);

#endif
