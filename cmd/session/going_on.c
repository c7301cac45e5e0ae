#include "cmd/session/going_on.h"

#include "cmd/session/tuning.h"

/* Attempts looked into, from the newest. */
#define MAX_LOOKED_INTO 256

/* What cannot be read declares nothing that could be varied. */
static bool declares(const struct session *s, const struct attempt *a)
{
	cleanup_tunables struct tunables t = {0};
	cleanup_error struct error *err = tuning_read_at(&t, s, a->id.hex);

	return !err && t.n > 0;
}

static const struct attempt *declaring_tip(const struct session *s,
					   const struct population *p)
{
	if (declares(s, &p->attempt[p->champion]))
		return &p->attempt[p->champion];
	for (size_t i = p->n_lineages; i-- > 0;)
		if (declares(s, &p->attempt[p->lineage[i].tip]))
			return &p->attempt[p->lineage[i].tip];
	return NULL;
}

static const struct attempt *newest_declaring(const struct session *s,
					      const struct population *p)
{
	for (size_t i = p->n, n = 0; i-- > 1 && n < MAX_LOOKED_INTO; n++)
		if (attempt_passes(&p->attempt[i]) &&
		    declares(s, &p->attempt[i]))
			return &p->attempt[i];
	return NULL;
}

/* What `--base` took to start from, where the run stopped before it was measured: it
 * is the first thing that the run measures when it goes on. */
static const struct attempt *start_in_flight(const struct session *s,
					     const struct population *p)
{
	if (!*p->record.from.hex || !p->attempt)
		return NULL;
	for (size_t i = 1; i < p->n; i++)
		if (str_eq(p->attempt[i].id.hex, p->record.from.hex))
			return !p->attempt[i].measurement &&
					       declares(s, &p->attempt[i])
				       ? &p->attempt[i]
				       : NULL;
	return NULL;
}

void going_on_find(struct commit_id *at, bool *begins, const struct session *s,
		   const struct population *p)
{
	const struct attempt *a;

	*at = (struct commit_id){""};
	*begins = false;
	if (p->n < 2 || declares(s, &p->attempt[0]))
		return;
	a = declaring_tip(s, p);
	if (!a)
		a = start_in_flight(s, p);
	if (!a) {
		a = newest_declaring(s, p);
		*begins = a != NULL;
	}
	if (a)
		*at = a->id;
}

struct error *going_on_take(struct session *s, const struct commit_id *at)
{
	cleanup_committed_task struct committed_task there = {0};
	cleanup_free char *path = xstrdup(s->at.task->path);

	TRY(committed_task_read(&there, s, at->hex, path));
	committed_task_release(&s->at);
	s->at = there;
	there = (struct committed_task){0};
	return NULL;
}
