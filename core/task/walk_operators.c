/* Operators of integers, as far as polynomials have them. */
#include "core/task/walk.h"

/* An operation that a polynomial does not have, as one quantity: "n / 32". */
struct poly walk_divide(struct walk *w, const struct poly *a, char op,
			const struct poly *b)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	struct poly q;
	size_t loop;
	int64_t c;

	if (!a->ok || !poly_is_constant(b, &c) || c <= 0)
		return poly_unknown;
	if (op == '/' && b->n && poly_divide(&q, a, b))
		return q;
	if (poly_last_loop(&loop, &w->atoms, a)) {
		/* Of a loop variable at most what its greatest value gives. */
		struct poly most = poly_greatest(&w->atoms, a);
		struct poly zero = poly_constant(0), last;

		if (op == '%')
			last = poly_constant(c - 1);
		else
			last = walk_divide(w, &most, op, b);
		return poly_loop(&w->atoms, &zero, &last);
	}
	if (op == '%')
		walk_note_rest(w, a);
	poly_print(&text, &w->atoms, a);
	if (a->n > 1) {
		cleanup_free char *sum = buf_take(&text);

		buf_addf(&text, "(%s)", sum);
	}
	buf_addf(&text, " %c %lld", op, (long long)c);
	if (text.truncated || text.len > 200)
		return poly_unknown;
	q = poly_symbol(&w->atoms, text.data);
	if (op == '/' && a->n == 1 && q.ok)
		walk_note_quotient(w, a, c, q.term[0].atom[0]);
	return q;
}

static struct poly shifted(const struct poly *by)
{
	int64_t c;

	return poly_is_constant(by, &c) && c >= 0 && c < 40
		       ? poly_constant((int64_t)1 << c)
		       : poly_unknown;
}

/* i & 15: 0 to 15. */
static struct poly masked(struct walk *w, const struct poly *a,
			  const struct poly *mask)
{
	struct poly zero = poly_constant(0);
	size_t loop;
	int64_t c;

	/* n & 3 is what is left of n. */
	if (a->ok && poly_is_constant(mask, &c) && c > 0 && !(c & (c + 1)) &&
	    !poly_last_loop(&loop, &w->atoms, a))
		walk_note_rest(w, a);
	return a->ok && poly_is_constant(mask, &c) && c >= 0
		       ? poly_loop(&w->atoms, &zero, mask)
		       : poly_unknown;
}

struct poly walk_combine(struct walk *w, const struct poly *a, const char *op,
			 const struct poly *b)
{
	struct poly factor;

	switch (*op) {
	case '+':
		return poly_add(a, b);
	case '-':
		return poly_sub(a, b);
	case '*':
		return poly_mul(a, b);
	case '/':
	case '%':
		return walk_divide(w, a, *op, b);
	case '<':
		factor = op[1] == '<' ? shifted(b) : poly_unknown;
		return poly_mul(a, &factor);
	case '>':
		factor = op[1] == '>' ? shifted(b) : poly_unknown;
		return walk_divide(w, a, '/', &factor);
	case '&':
		return masked(w, a, b);
	default:
		return poly_unknown;
	}
}
