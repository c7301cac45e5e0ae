/*
 * Integer polynomials over named quantities: what an index of a loop can come
 * to. A quantity is a symbol (a parameter of the kernel, or an expression that
 * is taken as a whole: "n / 32"), or a loop variable, which has bounds that are
 * polynomials themselves. Symbols count as positive.
 *
 * Everything is bounded: a polynomial with more than POLY_TERMS terms, a degree
 * above POLY_DEGREE or a coefficient that overflows is not `ok`, and so is all
 * that is computed from it.
 */
#ifndef CORE_TASK_POLYNOMIAL_H
#define CORE_TASK_POLYNOMIAL_H

#include "core/base/buf.h"

#define POLY_TERMS  16
#define POLY_DEGREE 6

struct poly_term {
	int64_t factor;
	unsigned char degree;
	unsigned short atom[POLY_DEGREE]; /* sorted; indices of a table */
};

struct poly {
	bool ok;
	unsigned char n;
	struct poly_term term[POLY_TERMS];
};

/* The quantities of one function. */
struct poly_atom {
	char *text;	       /* a symbol; NULL: a loop variable */
	struct poly low, high; /* of a loop variable, both included */
	bool strided;	       /* it moves by more than one */
	struct poly wide;      /* what it was before an `if`; not ok: none */
};
struct poly_table {
	struct poly_atom *atom;
	size_t n, cap;
};
#define POLY_ATOMS 4096

void poly_table_release(struct poly_table *t);
DEFINE_RELEASE(poly_table, struct poly_table, poly_table_release)
#define cleanup_poly_table CLEANUP(poly_table)

extern const struct poly poly_unknown;
struct poly poly_constant(int64_t c);
/* The same text is the same symbol. Unknown if the table is full. */
struct poly poly_symbol(struct poly_table *t, const char *text);
struct poly poly_loop(struct poly_table *t, const struct poly *low,
		      const struct poly *high);
struct poly poly_add(const struct poly *a, const struct poly *b);
struct poly poly_sub(const struct poly *a, const struct poly *b);
struct poly poly_mul(const struct poly *a, const struct poly *b);
bool poly_is_constant(const struct poly *p, int64_t *c);
bool poly_equal(const struct poly *a, const struct poly *b);
/* a >= b for all large values of the symbols; false if that is not known. */
bool poly_at_least(const struct poly *a, const struct poly *b);
/* The greatest and the least value that the loops give it. */
struct poly poly_greatest(const struct poly_table *t, const struct poly *p);
struct poly poly_least(const struct poly_table *t, const struct poly *p);
/* p = factor * the atom + rest; false if the atom is in it in another way. */
bool poly_split(struct poly *factor, struct poly *rest, const struct poly *p,
		size_t atom);
/* The same with `by` in place of the symbol; not ok where it is in it in another way
 * than a multiple. */
struct poly poly_replace(const struct poly *p, size_t atom,
			 const struct poly *by);
/* The last loop variable in it; false if there is none. */
bool poly_last_loop(size_t *atom, const struct poly_table *t,
		    const struct poly *p);
/* The highest degree of its terms. */
size_t poly_degree(const struct poly *p);
/* The terms of the highest degree alone. */
struct poly poly_leading(const struct poly *p);
/* p / by, if that is a whole polynomial; `by` has one term. */
bool poly_divide(struct poly *out, const struct poly *p, const struct poly *by);
/* "8 * (n / 8)" as "n": sizes are taken for multiples of what a loop works on
 * at a time. */
struct poly poly_tidy(struct poly_table *t, const struct poly *p);
/* As an expression of a task file: "(m - 1) * ld + n" is "m * ld - ld + n". */
void poly_print(struct buf *out, const struct poly_table *t,
		const struct poly *p);

#endif
