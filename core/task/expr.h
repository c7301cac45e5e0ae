/*
 * Integer arithmetic over the symbols of a case: "m * k", "(n + 15) / 16",
 * "min(k, 64)". Operators + - * / % and parentheses; functions min, max,
 * ceil_div, align (round up to a multiple). && and || leave out the right side
 * where the left one says the result, as in C. 64-bit; overflow, division by
 * zero and unknown symbols are errors that name the expression.
 */
#ifndef CORE_TASK_EXPR_H
#define CORE_TASK_EXPR_H

#include "core/base/error.h"

struct expr;

/* Values of the symbols of one case, in the task's order. */
struct symbols {
	char **name;
	int64_t *value;
	size_t n;
};

/* An error says what is wrong, and where. expr_free disposes. */
struct error *expr_parse(struct expr **out, const char *text) MUST_CHECK;
struct error *expr_eval(int64_t *out, const struct expr *e,
			const struct symbols *symbols) MUST_CHECK;
/* Where its symbols stand among these names, so that expr_eval_at finds them at
 * once; returns one more than the last place, 0 if it has none. */
size_t expr_bind(struct expr *e, char *const *names, size_t n);
/* As expr_eval, with the value of each name; false: a symbol has no value, or it
 * cannot be computed. */
bool expr_eval_at(int64_t *out, const struct expr *e, const int64_t *value,
		  const bool *has_value);
/* The text that it was parsed from. Borrowed. */
const char *expr_text(const struct expr *e);
/* Adds e as code that C, C++ and Python read alike: each symbol with `prefix`
 * before it, each number with `suffix` after it; all but + - * is a call of
 * divide, modulo, negate, is_not, is_less, is_at_most, is_equal, is_true,
 * minimum, maximum, ceil_div or align_up, which the reader has to define. Of
 * "is_true(a and b)", "is_true(a or b)" (C: <iso646.h>) the second side is not
 * computed where the first decides, as here. */
struct buf;
void expr_code(struct buf *out, const struct expr *e, const char *prefix,
	       const char *suffix);
/* Adds e as an expression of Python. Its division rounds down, that of e towards
 * zero: of numbers that are not negative it is the same. */
void expr_python(struct buf *out, const struct expr *e);
/* The only symbol that e consists of; NULL: it is more than that. Borrowed. */
const char *expr_only_symbol(const struct expr *e);
/* Adds the name of every symbol in e to `names` (a strvec), each once. */
struct strvec;
void expr_symbols(struct strvec *names, const struct expr *e);
void expr_free(struct expr *e);

DEFINE_CLEANUP(expr, struct expr, expr_free)
#define cleanup_expr CLEANUP(expr)

#endif
