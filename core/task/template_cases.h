/*
 * Inside template.c: the symbols of a first task, and their sizes.
 */
#ifndef CORE_TASK_TEMPLATE_CASES_H
#define CORE_TASK_TEMPLATE_CASES_H

#include "core/task/template.h"

/* Integers that something depends on become symbols of the cases: all of them
 * where nothing is known. */
bool template_is_symbol(const struct prototype *p, const struct parameter *a);
/* The name of the i-th symbol, borrowed; NULL if there are fewer. */
const char *template_symbol(const struct prototype *p, size_t i);
/* The names of symbols in the task file are those of the parameters, but for
 * the ones that cases cannot have (`count`). In an expression over parameters: */
void template_add_expression(struct buf *out, const struct prototype *p,
			     const char *text);
/* `cases` and `hidden`. */
void template_add_cases(struct buf *out, const struct template *t);

#endif
