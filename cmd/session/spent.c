#include "cmd/session/spent.h"

struct so_far {
	const struct population *p;
	struct spent_by *by;
	struct spend sum;
};

static void take_entry(void *arg, const struct entry *e)
{
	struct so_far *x = arg;
	const struct attempt *a;

	spend_add(&x->sum, &e->spend);
	if (e->kind != ENTRY_ATTEMPT)
		return;
	a = population_find(x->p, e->candidate.hex);
	if (a)
		x->by[a - x->p->attempt] = (struct spent_by){
			.dollars = x->sum.dollars,
			.tokens =
				(double)(x->sum.tokens_in + x->sum.tokens_out)};
}

/* An attempt whose own entry is not here has what was spent before it. */
static void fill_gaps(struct spent_by *by, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		by[i].dollars = MAX(by[i].dollars, by[i - 1].dollars);
		by[i].tokens = MAX(by[i].tokens, by[i - 1].tokens);
	}
}

struct error *spent_read(struct spent_by **out, struct gitstore *g,
			 const char *run, const struct population *p)
{
	cleanup_free struct spent_by *by = NULL;
	struct so_far x = {.p = p};

	*out = NULL;
	if (spend_is_zero(&p->spend))
		return NULL;
	by = x.by = xcalloc(p->n, sizeof *by);
	TRY(gitstore_read_run(g, run, take_entry, &x));
	fill_gaps(by, p->n);
	*out = steal(&by);
	return NULL;
}
