#include "core/run/barren.h"

static void set(struct barren *b, size_t attempt, signed char known)
{
	if (attempt >= b->n) {
		size_t n = MAX(2 * b->n, attempt + 64);

		b->known = xrealloc(b->known, n, sizeof *b->known);
		memset(b->known + b->n, 0, (n - b->n) * sizeof *b->known);
		b->n = n;
	}
	b->known[attempt] = known;
}

bool barren_known(const struct barren *b, size_t attempt)
{
	return b && attempt < b->n && b->known[attempt] < 0;
}

void barren_mark(struct barren *b, size_t attempt)
{
	set(b, attempt, -1);
	b->tried = true;
	free(b->why);
	b->why = NULL;
}

static void keep_why(struct barren *b, const struct error *refusal)
{
	if (b->tried)
		return;
	free(b->why);
	b->why = xstrdup(error_message(refusal));
}

struct error *barren_ask(bool *out, struct barren *b,
			 const struct population *p, size_t attempt)
{
	cleanup_candidate struct candidate c = {0};
	cleanup_error struct error *refusal = NULL;

	*out = barren_known(b, attempt);
	if (!b || !b->operator_->check || (attempt < b->n && b->known[attempt]))
		return NULL;
	TRY(b->archive->load(b->archive, &c, p->attempt[attempt].id.hex));
	refusal = b->operator_->check(b->operator_, &c.files);
	if (refusal)
		keep_why(b, refusal);
	set(b, attempt, refusal ? -1 : 1);
	*out = refusal != NULL;
	return NULL;
}

void barren_release(struct barren *b)
{
	free(b->known);
	free(b->why);
	*b = (struct barren){0};
}
