/*
 * Inside walk_state.c and walk_constants.c: what is gathered of a number among the
 * members of a state, by the tokens around each use of it.
 */
#ifndef CORE_TASK_WALK_READING_H
#define CORE_TASK_WALK_READING_H

#include "core/task/walk.h"

#define MAX_ALIASES 8

/* What is gathered of one member. */
struct member_range {
	int64_t low, high;
	int64_t last;  /* of what it indexes; 0: not known */
	int64_t room;  /* it is less: `16 - x`, `x + n < 16`; 0: not known */
	int64_t limit; /* of what a loop up to it indexes; 0: not known */
	int64_t mask;  /* the low bits that are used of it; 0: not known */
	bool ordered;  /* by `<` and the like, which say nothing above */
	bool bounded;  /* by a comparison, a mask or a case */
	bool assigned; /* constants, which are in low and high */
	bool counted;  /* up, step by step */
	bool computed; /* it gets what no constant is */
	bool is_bits;  /* all of its bits count, as those of a sum of bits */
	bool divides;
	bool is_small;	   /* another size or an index bounds it */
	bool others;	   /* none of the cases */
	bool decides;	   /* a comparison says what is done */
	const char *below; /* it is compared with this number of the kernel's */
};

struct reading {
	struct walk *w;
	struct prototype *p;
	const bool *runs;
	const struct parameter *a;
	struct token own; /* "w" of "size.w" */
	struct member_range r;
	/* Names of the function's own that have its value. */
	struct token alias[MAX_ALIASES];
	size_t n_aliases;
	size_t *looks;
};

/* Before all tokens are looked at: false where that was done too often. */
bool walk_may_look(const struct reading *s);
/* Where a sum or a product that begins at `at` ends. */
size_t walk_sum_end(const struct walk *w, size_t at);
/* Where `a->b.c`, of which `at` is the last name, begins. */
size_t walk_begin_of(const struct walk *w, size_t at);
/* A constant that begins at `at`: 64, -1, 'a', NAME, 1 << 6, sizeof. */
bool walk_constant(const struct reading *s, size_t at, int64_t *value);
/* The constant that ends before `end`: "16", "sizeof s->block", NAME. */
bool walk_constant_before(const struct reading *s, size_t end, int64_t *value);

#endif
