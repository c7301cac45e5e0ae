/* Operators of integers, as far as polynomials have them, and sizeof. */
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
	if (a->ok && poly_is_constant(mask, &c) && c > 0 && c < INT64_MAX &&
	    !(c & (c + 1)) && !poly_last_loop(&loop, &w->atoms, a))
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

void walk_note_sum(struct walk *w, const struct value *a, char op,
		   const struct value *b)
{
	bool is_address = (a->tensor >= 0 && !a->is_element) ||
			  (b->tensor >= 0 && !b->is_element);

	if (op == '/' || op == '%')
		w->bounded |= b->of;
	else if (is_address)
		w->bounded |= a->of | b->of;
	if (strchr("^+-*", op))
		w->bits |= a->of | b->of;
}

/* A name that the function gives values: the least so far, and not a size. */
static bool is_kept(const struct value *v)
{
	return v->tensor < 0 && !v->p.ok && v->binding != SIZE_MAX;
}

void walk_note_order(struct walk *w, const struct value *a,
		     const struct value *b)
{
	if (a->of && (b->of || is_kept(b)))
		w->ordered |= a->of;
	if (b->of && (a->of || is_kept(a)))
		w->ordered |= b->of;
}

struct value walk_size_of(struct walk *w)
{
	static const struct {
		const char *type;
		int64_t bytes;
	} sizes[] = {{"char", 1},     {"int8_t", 1},   {"uint8_t", 1},
		     {"short", 2},    {"int16_t", 2},  {"uint16_t", 2},
		     {"int", 4},      {"unsigned", 4}, {"long", 8},
		     {"_Float16", 2}, {"int32_t", 4},  {"uint32_t", 4},
		     {"float", 4},    {"double", 8},   {"int64_t", 8},
		     {"uint64_t", 8}, {"size_t", 8}};
	size_t open = w->at, close;
	struct binding *b;

	/* sizeof *x */
	if (walk_is(w, open, "*") && open + 1 < w->end &&
	    (b = walk_find(w, w->token[open + 1])) && b->v.tensor >= 0) {
		w->at = open + 2;
		return value_of(poly_constant((int64_t)w->bytes[b->v.tensor]));
	}
	if (!walk_is(w, open, "(") || !(close = w->partner[open]) ||
	    close >= w->end)
		return value_unknown();
	w->at = close + 1;
	for (size_t i = 0; close == open + 2 && i < ARRAY_SIZE(sizes); i++)
		if (token_is(w->token[open + 1], sizes[i].type))
			return value_of(poly_constant(sizes[i].bytes));
	/* sizeof(*x), sizeof(x[0]) */
	b = walk_find(w,
		      w->token[token_is(w->token[open + 1], "*") ? open + 2
								 : open + 1]);
	return b && b->v.tensor >= 0 && close > open + 2
		       ? value_of(poly_constant((int64_t)w->bytes[b->v.tensor]))
		       : value_unknown();
}
