/* Which sizes a function is for: what its loops take at a time, and what it
 * checks itself. */
#include "core/task/walk.h"

#define MOST_MULTIPLE 65536

/* ---- what loops take at a time ----------------------------------------------- */

/* Of a product one factor is enough: the last one. */
static void note(struct walk *w, const struct poly *bound, int64_t step,
		 const struct multiple *how)
{
	for (size_t i = 0; bound->ok && i < bound->n; i++) {
		const struct poly_term *t = &bound->term[i];
		int64_t of = step / common_divisor(step, t->factor < 0
								 ? -t->factor
								 : t->factor);
		size_t atom;

		if (!t->degree || of <= 1 || w->n_multiples == WALK_MULTIPLES)
			continue;
		atom = t->atom[t->degree - 1];
		if (w->atoms.atom[atom].text)
			w->multiple[w->n_multiples++] = (struct multiple){
				atom, of, how->waits, how->quotient};
	}
}

void walk_note_multiple(struct walk *w, const struct poly *bound, int64_t step)
{
	static const struct multiple at_once = {0};

	note(w, bound, step, &at_once);
}

void walk_note_quotient(struct walk *w, const struct poly *p, int64_t of,
			size_t quotient)
{
	struct multiple later = {.waits = true, .quotient = quotient};

	note(w, p, of, &later);
}

void walk_use_quotients(struct walk *w, const struct poly *offset)
{
	struct poly last = poly_greatest(&w->atoms, offset);

	for (size_t i = 0; last.ok && i < w->n_multiples; i++) {
		struct multiple *m = &w->multiple[i];

		for (size_t k = 0; m->waits && k < last.n; k++) {
			const struct poly_term *t = &last.term[k];

			for (size_t d = 0; d < t->degree; d++)
				if (t->atom[d] == m->quotient &&
				    t->factor > 0 && t->factor % m->of == 0)
					m->waits = false;
		}
	}
}

static bool has_atom(const struct poly *p, size_t atom)
{
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->term[i].degree; k++)
			if (p->term[i].atom[k] == atom)
				return true;
	return false;
}

void walk_note_rest(struct walk *w, const struct poly *bound)
{
	size_t kept = 0;

	if (!bound->ok)
		return;
	for (size_t i = 0; i < w->n_multiples; i++)
		if (!has_atom(bound, w->multiple[i].atom))
			w->multiple[kept++] = w->multiple[i];
	w->n_multiples = kept;
}

void walk_keep_rest(struct walk *w, size_t name, const struct poly *bound)
{
	if (!bound->ok || name >= w->n || w->n_rests == WALK_RESTS)
		return;
	w->rest_of[w->n_rests++] = *bound;
	w->binding[name].v.rest = w->n_rests;
}

void walk_take_rest(struct walk *w, size_t rest)
{
	if (rest)
		walk_note_rest(w, &w->rest_of[rest - 1]);
}

/* ---- what the function checks ------------------------------------------------- */

static bool number_at(int64_t *out, const struct walk *w, size_t at)
{
	char *end;

	if (at >= w->end || !token_is_number(w->token[at]))
		return false;
	*out = strtoll(w->token[at].at, &end, 0);
	return end > w->token[at].at && *out >= 0;
}

/* `name % 16` or `name & 15` at `at`; 0: neither. */
static int64_t remainder_at(const struct walk *w, size_t at, const char *name)
{
	int64_t n;

	if (!token_is(w->token[at], name) || !number_at(&n, w, at + 2))
		return 0;
	if (walk_is(w, at + 1, "%"))
		return n;
	return walk_is(w, at + 1, "&") && n < MOST_MULTIPLE && !(n & (n + 1))
		       ? n + 1
		       : 0;
}

static bool is_one_of(struct token t, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (token_is(t, words[i]))
			return true;
	return false;
}

/* What another function does for these sizes is work, too. */
static bool calls(const struct walk *w, size_t at, size_t to)
{
	for (; at + 1 < to && !walk_is(w, at, ";"); at++)
		if (token_is_word(w->token[at]) && walk_is(w, at + 1, "("))
			return true;
	return false;
}

/* Does the statement that has the remainder at `at` leave the function where it
 * is not zero? */
static bool leaves(const struct walk *w, size_t at, size_t to)
{
	static const char *const failed[] = {"__assert_fail", "__assert_rtn",
					     "__assert"};
	static const char *const left[] = {
		"return",	 "abort", "exit",
		"throw",	 "goto",  "__builtin_unreachable",
		"__builtin_trap"};
	bool negated = at > 1 && walk_is(w, at - 1, "(") &&
		       walk_is(w, at - 2, "!");
	size_t next = at + 3;
	int64_t than;
	bool is_zero;

	while (next < to && walk_is(w, next, ")"))
		next++;
	is_zero = walk_is(w, next, "==");
	if ((is_zero || walk_is(w, next, "!=")) &&
	    (!number_at(&than, w, next + 2) || than))
		return false;
	is_zero = is_zero != negated;
	for (size_t i = next; i < to; i++) {
		struct token t = w->token[i];

		if (is_one_of(t, failed, ARRAY_SIZE(failed)))
			return true;
		if (token_is(t, "return") && calls(w, i + 1, to))
			return false;
		if (is_one_of(t, left, ARRAY_SIZE(left)))
			return !is_zero;
		if (walk_is(w, i, ";") && !walk_is(w, i + 1, "else"))
			return false;
	}
	return false;
}

static int64_t common_multiple(int64_t a, int64_t b)
{
	int64_t c = b > 0 ? a / common_divisor(a, b) : 0;

	return c > 0 && c <= MOST_MULTIPLE / b ? c * b : a;
}

int64_t walk_multiple(const struct walk *w, size_t from, size_t to,
		      const char *name)
{
	int64_t out = 1;

	for (size_t i = 0; i < w->n_multiples; i++)
		if (!w->multiple[i].waits &&
		    str_eq(w->atoms.atom[w->multiple[i].atom].text, name))
			out = common_multiple(out, w->multiple[i].of);
	for (size_t i = from; i + 3 < to; i++) {
		int64_t of = remainder_at(w, i, name);

		if (of > 1 && leaves(w, i, to))
			out = common_multiple(out, of);
	}
	return out;
}

int64_t walk_least(const struct walk *w, size_t from, size_t to,
		   const char *name, bool is_signed)
{
	int64_t least = 1, c;
	size_t index_to = 0;

	for (size_t i = from; i + 2 < to; i++) {
		if (walk_is(w, i, "[") && w->partner[i])
			index_to = MAX(index_to, w->partner[i]);
		if (token_is(w->token[i], name) && walk_is(w, i + 1, "-") &&
		    number_at(&c, w, i + 2) && c < MOST_MULTIPLE &&
		    (!is_signed || i < index_to))
			least = MAX(least, c);
	}
	return least;
}
