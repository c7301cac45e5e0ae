#include "core/run/dead_end.h"

static void set(struct dead_ends *b, size_t attempt, signed char known)
{
	if (attempt >= b->n) {
		size_t n = MAX(2 * b->n, attempt + 64);

		b->known = xrealloc(b->known, n, sizeof *b->known);
		memset(b->known + b->n, 0, (n - b->n) * sizeof *b->known);
		b->n = n;
	}
	b->known[attempt] = known;
}

bool dead_end_known(const struct dead_ends *b, size_t attempt)
{
	return b && attempt < b->n && b->known[attempt] < 0;
}

void dead_end_mark(struct dead_ends *b, size_t attempt)
{
	set(b, attempt, -1);
	b->tried = true;
	free(b->why);
	b->why = NULL;
}

static void keep_why(struct dead_ends *b, const struct error *refusal)
{
	if (b->tried)
		return;
	free(b->why);
	b->why = xstrdup(error_message(refusal));
}

struct error *dead_end_ask(bool *out, struct dead_ends *b,
			   const struct population *p, size_t attempt)
{
	cleanup_candidate struct candidate c = {0};
	cleanup_error struct error *refusal = NULL;

	*out = dead_end_known(b, attempt);
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

void dead_end_release(struct dead_ends *b)
{
	free(b->known);
	free(b->why);
	*b = (struct dead_ends){0};
}
