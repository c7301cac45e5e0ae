/*
 * Whether a failed request is worth another try, and after how long: the rule
 * of the vendors' own clients. A pure decision: the caller sleeps.
 */
#ifndef AGENT_PROVIDER_RETRY_H
#define AGENT_PROVIDER_RETRY_H

#include "core/base/base.h"

/* Longest wait that a server may ask for. */
#define RETRY_MOST_SECONDS 120.0

struct retry_facts {
	int status; /* 0: no connection, a cut or stalled stream */
	/* Headers as they came; "" where absent. */
	const char *should_retry, *retry_after_ms, *retry_after;
	int64_t now;	   /* seconds since 1970, for a date in retry_after */
	unsigned attempts; /* made so far: 1 after the first */
	unsigned retries;  /* at most this many after the first */
	double unit;	   /* random in [0, 1) */
};

struct retry_decision {
	bool again;
	double seconds;
};

struct retry_decision retry_decide(const struct retry_facts *f);

#endif
