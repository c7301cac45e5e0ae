/*
 * Finds the entry with the measurement of an identity: built from all journals
 * at the first query, and updated with what this process appends. In memory
 * only; holds ids, not measurements.
 */
#include "gitstore/journal/history.h"
#include "gitstore/journal/journal.h"

struct slot {
	struct identity identity;
	int64_t time_us;
	git_oid entry;
	bool used;
};

/* A hash table with linear probing, at most half full. */
struct index {
	struct slot *slot;
	size_t n, cap; /* cap: a power of two */
};

/* The slot of this identity, or the free slot in which to put it. */
static struct slot *probe(const struct index *ix, const struct identity *id)
{
	/* The id of the sources is a hash already. */
	size_t at = (size_t)strtoull(id->sources, NULL, 16);

	for (;; at++) {
		struct slot *s = &ix->slot[at & (ix->cap - 1)];

		if (!s->used || identity_equal(&s->identity, id))
			return s;
	}
}

static void grow(struct index *ix)
{
	struct index old = *ix;

	ix->cap = old.cap ? 2 * old.cap : 64;
	ix->slot = xcalloc(ix->cap, sizeof *ix->slot);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slot[i].used)
			*probe(ix, &old.slot[i].identity) = old.slot[i];
	free(old.slot);
}

/* The newest entry of an identity stays. */
static void put(struct index *ix, const struct slot *new)
{
	struct slot *s;

	if (2 * (ix->n + 1) > ix->cap)
		grow(ix);
	s = probe(ix, &new->identity);
	if (s->used && s->time_us > new->time_us)
		return;
	ix->n += !s->used;
	*s = *new;
}

void index_add(struct gitstore *g, const struct entry *e)
{
	struct slot new = {.time_us = e->time_us, .used = true};

	if (!g->index || e->kind != ENTRY_MEASUREMENT || !e->measurement ||
	    e->measurement->verdict == VERDICT_UNUSABLE ||
	    git_oid_fromstr(&new.entry, e->id.hex) < 0)
		return;
	new.identity = e->measurement->identity;
	put(g->index, &new);
}

static struct error *put_run(struct index *ix, struct gitstore *g,
			     const char *run)
{
	cleanup_free struct known *known = NULL;
	size_t n;

	TRY(history_known(&known, &n, g, run));
	for (size_t i = 0; i < n; i++) {
		const struct slot new = {known[i].identity, known[i].time_us,
					 known[i].entry, true};

		put(ix, &new);
	}
	return NULL;
}

static void index_free(struct index *ix)
{
	if (!ix)
		return;
	free(ix->slot);
	free(ix);
}
DEFINE_CLEANUP(index, struct index, index_free)
#define cleanup_index CLEANUP(index)

static struct error *build(struct gitstore *g)
{
	cleanup_index struct index *ix = xcalloc(1, sizeof *ix);
	cleanup_strvec struct strvec runs = STRVEC_INIT;

	TRY(journal_runs(&runs, g));
	/* If a run's journals cannot be read, its candidates are measured
	 * again. */
	for (size_t i = 0; i < runs.n; i++)
		TRY(gitstore_pass_over(put_run(ix, g, runs.v[i])));
	g->index = steal(&ix);
	g->index_free = index_free;
	return NULL;
}

struct error *index_find(git_oid *entry, bool *found, struct gitstore *g,
			 const struct identity *identity)
{
	const struct slot *s;

	if (!g->index)
		TRY(build(g));
	*found = false;
	if (g->index->n == 0)
		return NULL;
	s = probe(g->index, identity);
	*found = s->used;
	if (s->used)
		*entry = s->entry;
	return NULL;
}
