/* Reads only the part of a run's cache that a command needs, if the cache is as
 * new as the journals. */
#include "gitstore/journal/cache.h"

/* Is the cache as new as the journals? */
static bool is_current(const struct cache_mapping *m,
		       const struct chain_tip *now, size_t n)
{
	const struct chain_tip *r = (const void *)m->part[SECTION_reach];

	if (m->h.count[SECTION_reach] != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!git_oid_equal(&r[i].tip, &now[i].tip) ||
		    strncmp(r[i].writer, now[i].writer, WRITER_LEN) != 0)
			return false;
	return true;
}

bool cache_champion(struct commit_id *id, const struct gitstore *g,
		    const char *run, const struct chain_tip *now, size_t n)
{
	CLEANUP(cache_mapping) struct cache_mapping m = {.data = NULL};
	char writer[WRITER_LEN + 1];

	if (!cache_open(&m, writer, g, run) || !is_current(&m, now, n))
		return false;
	*id = m.h.champion;
	id->hex[COMMIT_ID_LEN] = '\0';
	return true;
}

bool cache_about(struct about **out, size_t *n_out, const struct gitstore *g,
		 const char *run, const git_oid *candidate,
		 const struct chain_tip *now, size_t n)
{
	CLEANUP(cache_mapping) struct cache_mapping m = {.data = NULL};
	char writer[WRITER_LEN + 1];
	const struct about *all;
	size_t cap = 0;

	if (!cache_open(&m, writer, g, run) || !is_current(&m, now, n) ||
	    !cache_is_whole(&m, writer, SECTION_about))
		return false;
	all = (const void *)m.part[SECTION_about];
	*out = NULL;
	*n_out = 0;
	for (size_t i = 0; i < m.h.count[SECTION_about]; i++) {
		if (!git_oid_equal(&all[i].candidate, candidate))
			continue;
		GROW(*out, *n_out, cap);
		(*out)[(*n_out)++] = all[i];
	}
	return true;
}

bool cache_known(struct known **out, size_t *n_out, const struct gitstore *g,
		 const char *run, const struct chain_tip *now, size_t n)
{
	CLEANUP(cache_mapping) struct cache_mapping m = {.data = NULL};
	char writer[WRITER_LEN + 1];
	size_t cap;

	if (!cache_open(&m, writer, g, run) || !is_current(&m, now, n) ||
	    !cache_is_whole(&m, writer, SECTION_known))
		return false;
	*out = cache_own_part(n_out, &cap, &m, SECTION_known);
	return true;
}

/* ---- the newest of it ---------------------------------------------------- */

/* One measurement on the heap; NULL for none, or if it is out of bounds. */
static struct measurement *dup_measurement(struct cache_block *b,
					   const void *index)
{
	const struct measurement *all =
		(const void *)b->m->part[SECTION_measurement];
	size_t at = (size_t)index;
	cleanup_free struct comparison *c = NULL;
	cleanup_free struct setting *s = NULL;
	struct measurement m;

	if (!at || at > b->m->h.count[SECTION_measurement])
		return NULL;
	m = all[at - 1];
	b->bad = false;
	b->comparison = (struct comparison *)b->m->part[SECTION_comparison];
	b->setting = (struct setting *)b->m->part[SECTION_setting];
	cache_place_measurement(b, &m);
	if (b->bad)
		return NULL;
	m.comparisons = c =
		m.n_comparisons
			? xmemdup(m.comparisons, m.n_comparisons * sizeof *c)
			: NULL;
	m.environment = s =
		m.n_environment
			? xmemdup(m.environment, m.n_environment * sizeof *s)
			: NULL;
	for (size_t i = 0; i < m.n_comparisons; i++) {
		c[i].name = cache_text(b, c[i].name);
		b->bad = b->bad || !c[i].name || c[i].n_cases;
	}
	for (size_t i = 0; i < m.n_environment; i++) {
		s[i].key = cache_text(b, s[i].key);
		s[i].value = cache_text(b, s[i].value);
		b->bad = b->bad || !s[i].key || !s[i].value;
	}
	return b->bad ? NULL : measurement_dup(&m);
}

static void take_attempt(struct population *p, struct cache_block *b, size_t at)
{
	const struct attempt *all = (const void *)b->m->part[SECTION_attempt];
	struct attempt *a = &p->attempt[at];

	if (*a->id.hex)
		return;
	*a = all[at];
	a->subject = xstrdup_null(cache_text(b, a->subject));
	a->hypothesis = NULL;
	a->operator_state = NULL;
	a->id.hex[COMMIT_ID_LEN] = a->parent.hex[COMMIT_ID_LEN] = '\0';
	a->after.hex[COMMIT_ID_LEN] = a->entry.hex[COMMIT_ID_LEN] = '\0';
	a->measurement = dup_measurement(b, a->measurement);
}

static char *heap_text(struct cache_block *b, const char *offset)
{
	return xstrdup_null(cache_text(b, offset));
}

/* The kinds of machines with their champions, if nothing of it is damaged. */
static void take_kinds(struct population *p, struct cache_block *b)
{
	p->machine = cache_own_part(&p->n_machines, &p->cap_machines, b->m,
				    SECTION_machine);
	p->standing = cache_own_part(&p->n_standings, &p->cap_standings, b->m,
				     SECTION_standing);
	for (size_t i = 0; i < p->n_machines; i++) {
		struct machine_kind *m = &p->machine[i];

		m->name = heap_text(b, m->name);
		if (!m->name)
			m->name = xstrdup("?");
		m->id[IDENTITY_HEX_LEN] = '\0';
		m->champion = MIN(m->champion, p->n - 1);
		take_attempt(p, b, m->champion);
	}
}

/* Takes what lineages and remarks need. */
static void take_rest(struct population *p, struct cache_block *b)
{
	p->lineage = cache_own_part(&p->n_lineages, &p->cap_lineages, b->m,
				    SECTION_lineage);
	p->sayings = cache_own_part(&p->n_sayings, &p->cap_sayings, b->m,
				    SECTION_sayings);
	for (size_t i = 0; i < p->n_lineages; i++) {
		struct lineage *l = &p->lineage[i];

		l->reason = l->direction = NULL;
		l->root = MIN(l->root, p->n - 1);
		l->tip = MIN(l->tip, p->n - 1);
		take_attempt(p, b, l->root);
	}
	for (size_t i = 0; i < p->n_sayings; i++) {
		struct saying *w = &p->sayings[i];

		w->trigger = heap_text(b, w->trigger);
		w->reason = heap_text(b, w->reason);
		w->direction = heap_text(b, w->direction);
		w->candidate.hex[COMMIT_ID_LEN] = '\0';
	}
}

bool cache_recent(struct population *p, size_t n_newest,
		  const struct gitstore *g, const char *run,
		  const struct chain_tip *now, size_t n)
{
	static const enum section used[] = {
		SECTION_attempt, SECTION_measurement, SECTION_comparison,
		SECTION_setting, SECTION_lineage,     SECTION_sayings,
		SECTION_machine, SECTION_standing,    SECTION_text,
	};
	CLEANUP(cache_mapping) struct cache_mapping m = {.data = NULL};
	char writer[WRITER_LEN + 1];
	struct cache_block b = {.m = &m};

	if (!cache_open(&m, writer, g, run) || !is_current(&m, now, n) ||
	    !m.h.count[SECTION_attempt])
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(used); i++)
		if (!cache_is_whole(&m, writer, used[i]))
			return false;
	b.text = (char *)m.part[SECTION_text];
	population_init(p);
	p->n = p->cap = m.h.count[SECTION_attempt];
	p->attempt = xcalloc(p->n, sizeof *p->attempt);
	p->champion = MIN(m.h.p.champion, p->n - 1);
	take_attempt(p, &b, 0);
	take_attempt(p, &b, p->champion);
	take_kinds(p, &b);
	take_rest(p, &b);
	for (size_t i = p->n - MIN(p->n, n_newest); i < p->n; i++)
		take_attempt(p, &b, i);
	if (!cache_kinds_fit(p)) {
		population_release(p);
		return false;
	}
	p->interventions = m.h.p.interventions;
	p->stop_reason = heap_text(&b, m.h.p.stop_reason);
	p->time_us = m.h.time_us;
	entry_init(&p->record, ENTRY_RUN, run);
	p->record.base = p->attempt[0].id;
	p->has_record = m.h.p.has_record;
	if (p->has_record)
		p->record.task_path = heap_text(&b, m.h.p.record.task_path);
	return true;
}
