#include "gitstore/journal/history.h"

#include "gitstore/journal/chain.h"
#include "gitstore/journal/journal.h"

/* A cache is written from so many entries on; fewer are read as quickly. */
#define CACHE_MIN 256
/* The cache is written again when at least one part in so many is new. */
#define CACHE_PART 32

void history_release(struct history *h)
{
	population_release(&h->p);
	free(h->about);
	free(h->known);
	free(h->reach);
	*h = (struct history){.n_about = 0};
}

/* ---- entries ------------------------------------------------------------- */

static void add_known(struct history *h, const struct entry *e,
		      const struct about *about)
{
	struct known *k;

	GROW(h->known, h->n_known, h->cap_known);
	k = &h->known[h->n_known++];
	*k = (struct known){.time_us = e->time_us};
	k->identity = e->measurement->identity;
	memcpy(k->measurement, e->measurement->id, sizeof k->measurement);
	k->entry = about->entry;
	k->candidate = about->candidate;
}

static struct error *add_entry(void *arg, const struct entry *e)
{
	struct history *h = arg;
	struct about about;

	population_apply(&h->p, e);
	h->time_us = e->time_us;
	h->newest = e->id;
	if (!*e->candidate.hex)
		return NULL;
	TRY(oid_parse(&about.entry, e->id.hex));
	TRY(oid_parse(&about.candidate, e->candidate.hex));
	GROW(h->about, h->n_about, h->cap_about);
	h->about[h->n_about++] = about;
	/* An unusable measurement cannot replace a new one. */
	if (e->kind == ENTRY_MEASUREMENT && e->measurement &&
	    e->measurement->verdict != VERDICT_UNUSABLE)
		add_known(h, e, &about);
	return NULL;
}

/* ---- where to go on ------------------------------------------------------ */

static const git_oid *tip_of(const struct history *h, const char *writer)
{
	for (size_t i = 0; i < h->n_reach; i++)
		if (str_eq(h->reach[i].writer, writer))
			return &h->reach[i].tip;
	return NULL;
}

static const git_oid *reached(void *arg, const char *writer)
{
	return tip_of(arg, writer);
}

/* Is every chain that was read still there? */
static bool all_there(const struct history *h, const struct chains *c)
{
	for (size_t i = 0; i < h->n_reach; i++) {
		bool there = false;

		for (size_t j = 0; j < c->n && !there; j++)
			there = str_eq(c->chain[j].writer, h->reach[i].writer);
		if (!there)
			return false;
	}
	return true;
}

/* Entries are folded in order: one that another clone wrote before an entry
 * that is already folded cannot be added after it. */
static struct error *comes_after(bool *out, struct chains *c,
				 struct gitstore *g, const struct history *h)
{
	const struct entry *e;

	TRY(chains_oldest(&e, c, g));
	*out = !e || e->time_us > h->time_us ||
	       (e->time_us == h->time_us &&
		strcmp(e->id.hex, h->newest.hex) > 0);
	return NULL;
}

static struct error *go_on(bool *out, struct history *h, struct chains *c,
			   struct gitstore *g)
{
	struct chain_stop stop = {reached, h, false};

	*out = false;
	if (!all_there(h, c))
		return NULL;
	TRY(chains_walk(c, g, &stop));
	if (stop.lost)
		return NULL;
	return comes_after(out, c, g, h);
}

static void note_reach(struct history *h, const struct chains *c)
{
	h->n_reach = 0;
	for (size_t i = 0; i < c->n; i++) {
		struct chain_tip *r;

		if (git_oid_is_zero(&c->chain[i].tip) ||
		    strlen(c->chain[i].writer) > WRITER_LEN)
			continue;
		GROW(h->reach, h->n_reach, h->cap_reach);
		r = &h->reach[h->n_reach++];
		*r = (struct chain_tip){.tip = c->chain[i].tip};
		snprintf(r->writer, sizeof r->writer, "%s", c->chain[i].writer);
	}
}

struct error *gitstore_recall(struct measurement **out, struct gitstore *g,
			      const struct attempt *a)
{
	cleanup_entry struct entry e = {.kind = ENTRY_STOP};
	git_oid id;

	*out = NULL;
	if (!a->measurement || !a->measurement->brief || !*a->entry.hex)
		return NULL;
	TRY(oid_parse(&id, a->entry.hex));
	TRY(journal_entry(&e, g, &id));
	/* The whole one must agree with the brief one, from which the
	 * population was folded; otherwise the entry has changed. */
	if (e.measurement && e.measurement->verdict == a->measurement->verdict)
		*out = steal(&e.measurement);
	return NULL;
}

static struct error *make_whole(struct population *p, struct gitstore *g,
				size_t at)
{
	struct measurement *m;

	if (at >= p->n)
		return NULL;
	TRY(gitstore_recall(&m, g, &p->attempt[at]));
	if (m)
		population_set_measurement(p, &p->attempt[at], m);
	return NULL;
}

/* Makes those whole that would be whole if every entry were folded. */
static struct error *make_all_whole(struct population *p, struct gitstore *g)
{
	TRY(make_whole(p, g, 0));
	TRY(make_whole(p, g, p->champion));
	for (size_t i = 0; i < MIN(p->n_whole, (size_t)POPULATION_WHOLE); i++)
		TRY(make_whole(p, g, p->whole[i]));
	return NULL;
}

struct error *history_read(struct history *out, struct gitstore *g,
			   const char *run)
{
	cleanup_history struct history h = {.n_about = 0};
	cleanup_chains struct chains c = {.refs = STRVEC_INIT, .brief = true};
	bool cached, fits = false;
	size_t new;

	TRY(chains_open(&c, g, run));
	cached = cache_load(&h, g, run);
	if (cached)
		TRY(go_on(&fits, &h, &c, g));
	if (!fits) {
		history_release(&h);
		TRY(chains_walk(&c, g, NULL));
	}
	snprintf(h.run, sizeof h.run, "%s", run);
	new = chains_unread(&c);
	TRY(chains_each(&c, g, add_entry, &h));
	note_reach(&h, &c);
	if (new > MAX(CACHE_MIN, h.n_about / CACHE_PART))
		cache_save(&h, g);
	TRY(make_all_whole(&h.p, g));
	*out = h;
	h = (struct history){.n_about = 0};
	return NULL;
}

/* Do the chains end where they ended when *h was read? */
static bool is_current(const struct history *h, const struct chains *c)
{
	size_t same = 0;

	for (size_t i = 0; i < c->n; i++) {
		const git_oid *known = tip_of(h, c->chain[i].writer);

		/* As note_reach has it. */
		if (git_oid_is_zero(&c->chain[i].tip) ||
		    strlen(c->chain[i].writer) > WRITER_LEN)
			continue;
		if (!known || !git_oid_equal(known, &c->chain[i].tip))
			return false;
		same++;
	}
	return same == h->n_reach;
}

struct error *history_update(bool *changed, struct history *h,
			     struct gitstore *g)
{
	cleanup_chains struct chains c = {.refs = STRVEC_INIT, .brief = true};
	cleanup_history struct history again = {.n_about = 0};
	bool fits = false;

	TRY(chains_open(&c, g, h->run));
	*changed = !is_current(h, &c);
	if (!*changed)
		return NULL;
	if (h->n_reach)
		TRY(go_on(&fits, h, &c, g));
	if (fits) {
		TRY(chains_each(&c, g, add_entry, h));
		note_reach(h, &c);
		return NULL;
	}
	TRY(history_read(&again, g, h->run));
	history_release(h);
	*h = again;
	again = (struct history){.n_about = 0};
	return NULL;
}

/* ---- the public functions ---------------------------------------------- */

struct error *gitstore_population(struct population *p, struct gitstore *g,
				  const char *run)
{
	cleanup_history struct history h = {.n_about = 0};

	TRY(error_wrap(history_read(&h, g, run), "run '%s'", run));
	population_release(p);
	*p = h.p;
	population_init(&h.p);
	return NULL;
}

static struct error *apply_entry(void *arg, const struct entry *e)
{
	population_apply(arg, e);
	return NULL;
}

struct error *gitstore_population_on(struct population *p, struct gitstore *g,
				     const char *run, const char *kind)
{
	cleanup_chains struct chains c = {.refs = STRVEC_INIT, .brief = true};

	population_release(p);
	snprintf(p->only, sizeof p->only, "%s", kind);
	TRY(chains_open(&c, g, run));
	TRY(chains_walk(&c, g, NULL));
	TRY(error_wrap(chains_each(&c, g, apply_entry, p), "run '%s'", run));
	return make_all_whole(p, g);
}

/* How far the journals go now, in the form that note_reach makes. */
static struct error *reach_now(struct history *h, struct gitstore *g,
			       const char *run)
{
	cleanup_chains struct chains c = {.refs = STRVEC_INIT};

	TRY(chains_open(&c, g, run));
	note_reach(h, &c);
	return NULL;
}

struct error *history_known(struct known **out, size_t *n, struct gitstore *g,
			    const char *run)
{
	cleanup_history struct history now = {.n_about = 0};
	cleanup_history struct history h = {.n_about = 0};

	TRY(reach_now(&now, g, run));
	if (!cache_known(out, n, g, run, now.reach, now.n_reach)) {
		TRY(history_read(&h, g, run));
		*n = h.n_known;
		*out = steal(&h.known);
	}
	/* The contents of a cache are not trusted. */
	for (size_t i = 0; i < *n; i++)
		(*out)[i].measurement[MEASUREMENT_ID_LEN] = '\0';
	return NULL;
}

struct error *gitstore_champion(struct commit_id *id, struct gitstore *g,
				const char *run)
{
	cleanup_history struct history now = {.n_about = 0};
	cleanup_population struct population p = {0};

	TRY(reach_now(&now, g, run));
	if (cache_champion(id, g, run, now.reach, now.n_reach))
		return NULL;
	TRY(gitstore_population(&p, g, run));
	*id = commit_id("");
	if (p.champion)
		*id = p.attempt[p.champion].id;
	return NULL;
}

struct error *gitstore_recent(struct population *p, struct gitstore *g,
			      const char *run, size_t n)
{
	cleanup_history struct history now = {.n_about = 0};

	population_release(p);
	TRY(reach_now(&now, g, run));
	if (cache_recent(p, n, g, run, now.reach, now.n_reach))
		return NULL;
	return gitstore_population(p, g, run);
}

struct error *gitstore_entry(struct entry *out, struct gitstore *g,
			     const char *id)
{
	git_oid oid;

	TRY(oid_parse(&oid, id));
	return journal_entry(out, g, &oid);
}

static struct error *tell(struct gitstore *g, const struct about *about,
			  entry_fn each, void *arg)
{
	cleanup_entry struct entry e = {.kind = ENTRY_STOP};

	TRY(journal_entry(&e, g, &about->entry));
	each(arg, &e);
	return NULL;
}

struct error *gitstore_read_about(struct gitstore *g, const char *run,
				  const char *candidate, entry_fn each,
				  void *arg)
{
	cleanup_history struct history h = {.n_about = 0};
	cleanup_free struct about *about = NULL;
	git_oid id;
	size_t n;

	TRY(oid_parse(&id, candidate));
	TRY(reach_now(&h, g, run));
	if (cache_about(&about, &n, g, run, &id, h.reach, h.n_reach)) {
		for (size_t i = 0; i < n; i++)
			TRY(tell(g, &about[i], each, arg));
		return NULL;
	}
	history_release(&h);
	TRY(error_wrap(history_read(&h, g, run), "run '%s'", run));
	for (size_t i = 0; i < h.n_about; i++)
		if (git_oid_equal(&h.about[i].candidate, &id))
			TRY(tell(g, &h.about[i], each, arg));
	return NULL;
}
