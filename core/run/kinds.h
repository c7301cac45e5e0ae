/*
 * The kinds of machines of a population. A ratio holds on the kind of machine
 * that measured it, so gains and champions are of one kind each. A kind is its
 * number: the index in population.machine + 1; 0 is a machine that is not known.
 */
#ifndef CORE_RUN_KINDS_H
#define CORE_RUN_KINDS_H

#include "core/run/population.h"

/* The number of the kind with this id; 0 if there is none. */
size_t kinds_find(const struct population *p, const char *id);
/* The same; adds it if it is new. `name` may be NULL. 0 if the id is "". */
size_t kinds_add(struct population *p, const char *id, const char *name);
/* Logarithm of the attempt's speed relative to the start, both on this kind;
 * NAN if no chain of comparisons that were measured there leads to it. */
double kinds_gain(const struct population *p, const struct attempt *a,
		  size_t kind);
/* Index of the champion of this kind; 0 if there is none. */
size_t kinds_champion(const struct population *p, size_t kind);

/* Logarithm of the least of the attempt's speeds on these `n` kinds; NAN if one of
 * them is not known. */
double kinds_worst_gain(const struct population *p, const struct attempt *a,
			const size_t *kind, size_t n);
/* Index of the kept attempt whose least speed on these kinds is the highest, and
 * over the start's; of equal ones the first. 0 if there is none. */
size_t kinds_portable(const struct population *p, const size_t *kind, size_t n);

/* Finds the kind that a person means by a word: its id or the beginning of that,
 * or a part of its name, in letters of any case. *out is its number. ERROR_USAGE
 * if the word fits none or several; says which kinds there are. */
struct error *kinds_choose(size_t *out, const struct population *p,
			   const char *word) MUST_CHECK;
/* Sets the member `machines`: an array with id and name of each kind, and the
 * commit and speed of its champion where it has one. */
void kinds_json_add(struct json *j, const struct population *p);

/* ---- for population_apply.c ---------------------------------------------- */

/* Its newest measurement is now of this kind: a->gain and a->kind follow. */
void kinds_measured(struct population *p, struct attempt *a, size_t kind);
/* It was crowned on this kind. */
void kinds_crown(struct population *p, size_t attempt, size_t kind);
/* It was found wrong. So it loses its crowns on all kinds, each to the best of
 * those that were crowned there and still pass. */
void kinds_depose(struct population *p, size_t attempt);

#endif
