/*
 * Measurements that others made of the same tunables: results of the autotuning
 * association (T4) or a cache file of Kernel Tuner, in JSON. They guide the
 * search and are no scores: another machine, another way to measure.
 */
#ifndef AGENT_TUNER_KNOWN_H
#define AGENT_TUNER_KNOWN_H

#include "agent/tuner/tunables.h"

#define KNOWN_MAX_BYTES ((size_t)256 << 20)

struct known_gains {
	size_t dims;
	size_t *point; /* n * dims */
	double *gain;  /* log speed; NAN: it failed */
	size_t n, cap;
	size_t other; /* measurements that are no points of this space */
};

/* ERROR_MALFORMED says what is wrong with the text. known_release
 * disposes. */
struct error *known_read(struct known_gains *out, const struct tunables *space,
			 const char *text, size_t len) MUST_CHECK;
void known_release(struct known_gains *k);

DEFINE_RELEASE(known, struct known_gains, known_release)
#define cleanup_known CLEANUP(known)

#endif
