/*
 * A provider answers conversations. Live providers use HTTP with one of two
 * protocols (agent/provider/wire.h); the provider in agent/provider/recording.h
 * plays a file.
 */
#ifndef AGENT_PROVIDER_PROVIDER_H
#define AGENT_PROVIDER_PROVIDER_H

#include "agent/provider/conversation.h"
#include "agent/provider/key.h"
#include "core/base/strvec.h"

/* Limits of a turn; zero or NULL: no limit. */
struct turn_limits {
	int64_t max_tokens;	  /* of this reply; 0: the provider's own */
	double wall_seconds;	  /* includes all retries */
	const volatile int *stop; /* non-zero: give up; may be NULL */
	/* Called with a sentence before each wait: "529, overloaded: again in
	 * 4.2 s". May be NULL. */
	void (*on_wait)(void *arg, const char *sentence);
	/* Called about once a minute while no reply comes, with what people
	 * need to know. May be NULL. */
	void (*on_minute)(void *arg, const char *sentence);
	/* Called with a sentence when something of the settings had to change,
	 * since the server refused it. May be NULL. */
	void (*on_notice)(void *arg, const char *sentence);
	void *arg;
};

/* What one model's requests used; failed ones are billed and counted too. */
struct spending {
	char *model;
	struct usage usage;
	uint64_t replies, failures;
};

struct provider {
	/* Asks for a reply, and waits while the server is down. A request that
	 * the server will not answer gives a reply too (REPLY_REJECTED).
	 * ERROR_INTERRUPTED: stopped, or the wall time is up. ERROR_REFUSED: the
	 * server rejected the key, the model or the address. ERROR_SYSTEM: the
	 * patience is over. Messages never contain the key. */
	struct error *(*turn)(struct provider *self, struct reply *out,
			      const struct conversation *c,
			      const struct turn_limits *limits);
	void (*free)(struct provider *self);
	struct spending *spending; /* one per model; never shrinks */
	size_t n_spending, spending_cap;
	struct recorder *recorder; /* recording.h; NULL: not recorded */
};

/* self->turn, and records the reply if p has a recorder. The caller releases
 * *out with reply_release; after an error it is unchanged. */
struct error *provider_turn(struct provider *p, struct reply *out,
			    const struct conversation *c,
			    const struct turn_limits *limits) MUST_CHECK;
void provider_free(struct provider *p);
DEFINE_CLEANUP(provider, struct provider, provider_free)
#define cleanup_provider CLEANUP(provider)
/* For implementations: counts what a reply or a failed request used. */
void provider_spent(struct provider *p, const char *model,
		    const struct usage *usage, bool failed);
/* For implementations: releases the members of `struct provider`. */
void provider_release(struct provider *p);

/* Strings are borrowed until live_provider() returns. */
struct provider_config {
	enum protocol protocol;
	const char *base_url; /* NULL: the vendor's */
	const char *model;
	const char *fallback_model; /* asked if `model` refuses; or NULL */
	int64_t max_tokens;	    /* of a reply; 0: 16384 */
	const double *temperature;  /* NULL: not sent */
	const char *effort;	    /* "low" ... "max"; NULL: not sent */
	bool streaming;
	bool long_cache; /* keep tools and system an hour in the cache */
	/* 0: the defaults 10, 120 and 1800 */
	double connect_seconds, stall_seconds, total_seconds;
	/* Most seconds without a reply in which a turn asks again and again; 0:
	 * no end but the turn's limits. */
	double patience_seconds;
	/* Most repetitions of a request whose failure may be its own. */
	unsigned retries;
	/* Asked for another key when the server no longer takes the one it has
	 * (401); NULL: the key cannot be had again. */
	struct error *(*renew_key)(void *arg, struct api_key *out);
	void *renew_arg;		    /* lives as long as the provider */
	const struct strvec *extra_headers; /* "Name: value"; may be NULL */
};

/* Takes the key. ERROR_USAGE if the configuration is invalid. */
struct error *live_provider(struct provider **out,
			    const struct provider_config *config,
			    struct api_key *key) MUST_CHECK;

#endif
