#include "core/task/polynomial.h"

const struct poly poly_unknown = {.ok = false};

void poly_table_release(struct poly_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->atom[i].text);
	free(t->atom);
	*t = (struct poly_table){0};
}

struct poly poly_constant(int64_t c)
{
	struct poly p = {.ok = true};

	if (c)
		p.term[p.n++] = (struct poly_term){.factor = c};
	return p;
}

static struct poly of_atom(size_t atom)
{
	struct poly p = {.ok = true, .n = 1};

	p.term[0].factor = 1;
	p.term[0].degree = 1;
	p.term[0].atom[0] = (unsigned short)atom;
	return p;
}

struct poly poly_symbol(struct poly_table *t, const char *text)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->atom[i].text && str_eq(t->atom[i].text, text))
			return of_atom(i);
	if (t->n == POLY_ATOMS)
		return poly_unknown;
	GROW(t->atom, t->n, t->cap);
	t->atom[t->n] = (struct poly_atom){.text = xstrdup(text)};
	return of_atom(t->n++);
}

struct poly poly_loop(struct poly_table *t, const struct poly *low,
		      const struct poly *high)
{
	if (t->n == POLY_ATOMS || !low->ok || !high->ok)
		return poly_unknown;
	GROW(t->atom, t->n, t->cap);
	t->atom[t->n] = (struct poly_atom){.low = *low, .high = *high};
	return of_atom(t->n++);
}

/* ---- arithmetic ----------------------------------------------------------- */

static bool same_atoms(const struct poly_term *a, const struct poly_term *b)
{
	return a->degree == b->degree &&
	       memcmp(a->atom, b->atom, a->degree * sizeof a->atom[0]) == 0;
}

static void add_term(struct poly *p, const struct poly_term *t)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!same_atoms(&p->term[i], t))
			continue;
		if (__builtin_add_overflow(p->term[i].factor, t->factor,
					   &p->term[i].factor))
			p->ok = false;
		if (!p->term[i].factor)
			p->term[i] = p->term[--p->n];
		return;
	}
	if (p->n == POLY_TERMS)
		p->ok = false;
	else
		p->term[p->n++] = *t;
}

static struct poly_term scaled(const struct poly_term *t, int64_t by, bool *ok)
{
	struct poly_term s = *t;

	if (__builtin_mul_overflow(t->factor, by, &s.factor))
		*ok = false;
	return s;
}

static struct poly add_scaled(const struct poly *a, const struct poly *b,
			      int64_t by)
{
	struct poly p = *a;

	p.ok = a->ok && b->ok;
	for (size_t i = 0; p.ok && i < b->n; i++) {
		struct poly_term t = scaled(&b->term[i], by, &p.ok);

		add_term(&p, &t);
	}
	return p;
}

struct poly poly_add(const struct poly *a, const struct poly *b)
{
	return add_scaled(a, b, 1);
}

struct poly poly_sub(const struct poly *a, const struct poly *b)
{
	return add_scaled(a, b, -1);
}

static struct poly_term product(const struct poly_term *a,
				const struct poly_term *b, bool *ok)
{
	struct poly_term t = scaled(a, b->factor, ok);
	size_t i = 0, j = 0;

	t.degree = 0;
	if (a->degree + b->degree > POLY_DEGREE)
		*ok = false;
	while (*ok && (i < a->degree || j < b->degree)) {
		bool first = j == b->degree ||
			     (i < a->degree && a->atom[i] <= b->atom[j]);

		t.atom[t.degree++] = first ? a->atom[i++] : b->atom[j++];
	}
	return t;
}

struct poly poly_mul(const struct poly *a, const struct poly *b)
{
	struct poly p = {.ok = a->ok && b->ok};

	for (size_t i = 0; p.ok && i < a->n; i++) {
		for (size_t j = 0; p.ok && j < b->n; j++) {
			struct poly_term t =
				product(&a->term[i], &b->term[j], &p.ok);

			if (p.ok)
				add_term(&p, &t);
		}
	}
	return p;
}

/* ---- questions ------------------------------------------------------------ */

bool poly_is_constant(const struct poly *p, int64_t *c)
{
	if (!p->ok || p->n > 1 || (p->n && p->term[0].degree))
		return false;
	*c = p->n ? p->term[0].factor : 0;
	return true;
}

bool poly_equal(const struct poly *a, const struct poly *b)
{
	struct poly d = poly_sub(a, b);

	return d.ok && !d.n;
}

bool poly_at_least(const struct poly *a, const struct poly *b)
{
	struct poly d = poly_sub(a, b);
	int64_t constant = 0;

	for (size_t i = 0; d.ok && i < d.n; i++) {
		if (d.term[i].degree && d.term[i].factor < 0)
			return false;
		if (!d.term[i].degree)
			constant = d.term[i].factor;
	}
	return d.ok && (constant >= 0 || d.n > 1);
}

bool poly_last_loop(size_t *atom, const struct poly_table *t,
		    const struct poly *p)
{
	bool found = false;

	for (size_t i = 0; p->ok && i < p->n; i++) {
		for (size_t k = 0; k < p->term[i].degree; k++) {
			size_t a = p->term[i].atom[k];

			if (t->atom[a].text || (found && a <= *atom))
				continue;
			*atom = a;
			found = true;
		}
	}
	return found;
}

size_t poly_degree(const struct poly *p)
{
	size_t degree = 0;

	for (size_t i = 0; i < p->n; i++)
		degree = MAX(degree, (size_t)p->term[i].degree);
	return degree;
}

struct poly poly_leading(const struct poly *p)
{
	struct poly out = {.ok = p->ok};
	size_t degree = poly_degree(p);

	for (size_t i = 0; p->ok && i < p->n; i++)
		if (p->term[i].degree == degree)
			add_term(&out, &p->term[i]);
	return out;
}

/* The term without one of these atoms; false if it has none. */
static bool without(struct poly_term *out, const struct poly_term *t,
		    size_t atom)
{
	bool found = false;

	*out = *t;
	out->degree = 0;
	for (size_t k = 0; k < t->degree; k++) {
		if (!found && t->atom[k] == atom)
			found = true;
		else
			out->atom[out->degree++] = t->atom[k];
	}
	return found;
}

bool poly_split(struct poly *factor, struct poly *rest, const struct poly *p,
		size_t atom)
{
	*factor = *rest = (struct poly){.ok = p->ok};
	for (size_t i = 0; p->ok && i < p->n; i++) {
		struct poly_term once, twice;

		if (!without(&once, &p->term[i], atom))
			add_term(rest, &p->term[i]);
		else if (without(&twice, &once, atom))
			return false;
		else
			add_term(factor, &once);
	}
	return p->ok;
}

struct poly poly_replace(const struct poly *p, size_t atom,
			 const struct poly *by)
{
	struct poly factor, rest;

	if (!poly_split(&factor, &rest, p, atom))
		return poly_unknown;
	factor = poly_mul(&factor, by);
	return poly_add(&factor, &rest);
}

/* One step of poly_greatest: the atom's bound in its place, by the sign of each
 * term. Bounds hold earlier atoms only, so that the steps come to an end. */
static struct poly bounded(const struct poly_table *t, const struct poly *p,
			   size_t atom)
{
	struct poly out = {.ok = p->ok};

	for (size_t i = 0; out.ok && i < p->n; i++) {
		struct poly one = {.ok = true, .n = 1};
		struct poly power = {.ok = true, .n = 1};
		const struct poly_atom *a = &t->atom[atom];
		struct poly_term rest = p->term[i];

		power.term[0].factor = 1;
		while (without(&one.term[0], &rest, atom)) {
			rest = one.term[0];
			power = poly_mul(&power,
					 rest.factor > 0 ? &a->high : &a->low);
		}
		one = poly_mul(&one, &power);
		out = poly_add(&out, &one);
	}
	return out;
}

struct poly poly_least(const struct poly_table *t, const struct poly *p)
{
	struct poly zero = poly_constant(0), minus = poly_sub(&zero, p);

	minus = poly_greatest(t, &minus);
	return poly_sub(&zero, &minus);
}

struct poly poly_greatest(const struct poly_table *t, const struct poly *p)
{
	struct poly out = *p;
	size_t atom;

	while (poly_last_loop(&atom, t, &out))
		out = bounded(t, &out, atom);
	return out;
}

static bool divide_term(struct poly_term *out, const struct poly_term *t,
			const struct poly_term *by)
{
	struct poly_term left = *t;

	if (!by->factor || t->factor % by->factor)
		return false;
	for (size_t k = 0; k < by->degree; k++) {
		struct poly_term next;

		if (!without(&next, &left, by->atom[k]))
			return false;
		left = next;
	}
	left.factor = t->factor / by->factor;
	*out = left;
	return true;
}

bool poly_divide(struct poly *out, const struct poly *p, const struct poly *by)
{
	struct poly q = {.ok = true};

	if (!p->ok || !by->ok || by->n != 1)
		return false;
	for (size_t i = 0; i < p->n; i++) {
		struct poly_term t;

		if (!divide_term(&t, &p->term[i], &by->term[0]))
			return false;
		add_term(&q, &t);
	}
	*out = q;
	return true;
}

/* The name and the number of a symbol "n / 8". */
static bool is_quotient(const char *text, char **name, int64_t *by)
{
	const char *slash = text ? strstr(text, " / ") : NULL;

	if (!slash || strpbrk(text, "(+-*%") || strchr(slash + 2, '/'))
		return false;
	*by = strtoll(slash + 3, NULL, 10);
	*name = xstrndup(text, (size_t)(slash - text));
	return *by > 0;
}

static struct poly tidy_term(struct poly_table *t, const struct poly_term *term)
{
	struct poly out = {.ok = true, .n = 1};

	out.term[0] = *term;
	for (size_t k = 0; k < term->degree; k++) {
		cleanup_free char *name = NULL;
		struct poly symbol;
		struct poly_term rest;
		int64_t by;

		if (!is_quotient(t->atom[term->atom[k]].text, &name, &by) ||
		    term->factor % by || !without(&rest, term, term->atom[k]))
			continue;
		rest.factor /= by;
		out.term[0] = rest;
		symbol = poly_symbol(t, name);
		return poly_mul(&out, &symbol);
	}
	return out;
}

struct poly poly_tidy(struct poly_table *t, const struct poly *p)
{
	struct poly out = {.ok = p->ok};

	for (size_t i = 0; out.ok && i < p->n; i++) {
		struct poly one = tidy_term(t, &p->term[i]);

		out = poly_add(&out, &one);
	}
	return out;
}

/* ---- text ------------------------------------------------------------------ */

static void print_term(struct buf *out, const struct poly_table *t,
		       const struct poly_term *term, uint64_t factor)
{
	if (factor != 1 || !term->degree)
		buf_addf(out, "%llu%s", (unsigned long long)factor,
			 term->degree ? " * " : "");
	for (size_t k = 0; k < term->degree; k++) {
		const char *text = t->atom[term->atom[k]].text;
		bool plain = text && !strpbrk(text, " +-*/%");

		buf_addf(out, "%s%s%s%s", k ? " * " : "", plain ? "" : "(",
			 text ? text : "?", plain ? "" : ")");
	}
}

void poly_print(struct buf *out, const struct poly_table *t,
		const struct poly *p)
{
	bool first = true;

	/* Positive terms first: no expression begins with a minus. */
	for (int sign = 1; sign >= -1; sign -= 2) {
		for (size_t i = 0; i < p->n; i++) {
			int64_t f = p->term[i].factor;

			if ((f > 0) != (sign > 0))
				continue;
			buf_adds(out, sign < 0 ? first ? "0 - " : " - "
				      : first  ? ""
					       : " + ");
			print_term(out, t, &p->term[i],
				   sign < 0 ? 0 - (uint64_t)f : (uint64_t)f);
			first = false;
		}
	}
	if (first)
		buf_adds(out, "0");
}
