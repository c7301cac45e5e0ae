/*
 * Integer arithmetic over the symbols of a case: "m * k", "(n + 15) / 16",
 * "min(k, 64)". Operators + - * / % and parentheses; functions min, max,
 * ceil_div, align (round up to a multiple). 64-bit; overflow, division by zero
 * and unknown symbols are errors that name the expression.
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
/* The text that it was parsed from. Borrowed. */
const char *expr_text(const struct expr *e);
/* Adds the name of every symbol in e to `names` (a strvec), each once. */
struct strvec;
void expr_symbols(struct strvec *names, const struct expr *e);
void expr_free(struct expr *e);

DEFINE_CLEANUP(expr, struct expr, expr_free)
#define cleanup_expr CLEANUP(expr)

#endif
