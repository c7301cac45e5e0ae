/* What stand-ins for an archive and an evaluator share that keep nothing: an
 * attempt's sources are its commit, and nothing was measured before. */
#ifndef TESTS_NOTHING_KEPT_H
#define TESTS_NOTHING_KEPT_H

#include "core/run/evolve.h"

static inline struct error *load_by_id(struct archive *a UNUSED,
				       struct candidate *out, const char *id)
{
	out->id = commit_id(id);
	snprintf(out->sources_id, sizeof out->sources_id, "%s", id);
	return NULL;
}

static inline struct error *append_nothing(
	struct archive *a UNUSED, struct entry *e UNUSED,
	const struct population *after UNUSED)
{
	return NULL;
}

static inline struct error *read_nothing(struct archive *a UNUSED,
					 struct population *p UNUSED,
					 const char *run UNUSED)
{
	return NULL;
}

static inline struct error *find_nothing(struct archive *a UNUSED,
					 struct measurement **out UNUSED,
					 const struct identity *id UNUSED)
{
	return NULL;
}

/* Of a candidate of load_by_id. */
static inline void identify_by_id(struct evaluator *e UNUSED,
				  struct identity *out,
				  const struct candidate *c)
{
	*out = (struct identity){.task = "t", .machine = "m", .scorer = "1"};
	snprintf(out->sources, sizeof out->sources, "%s", c->sources_id + 24);
}

#endif
