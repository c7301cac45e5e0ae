/*
 * The hidden cases of a scoring: sizes that are drawn, within the ranges that the
 * task gives. A fault in the handling of sizes sits where a range ends or where a
 * tile does, and random sizes alone meet such a place seldom. So there are, one
 * after another,
 *
 *  - one with every symbol at the high end of its range;
 *  - for each symbol, up to HIDDEN_LOWS of them, one with it at the low end;
 *  - HIDDEN_AT with each symbol at, one below or one above a number that stands in
 *    the candidate's sources, small ones: constants that have a name (the values of
 *    its tunables) come first, all three sizes of each where there are enough
 *    cases, then powers of two and what loops step by or sizes are held against;
 *  - HIDDEN_AROUND with each symbol beside an end, or around any such number; of the
 *    first, where the sources hold the rest of a division against a number, sizes
 *    that leave it;
 *  - `hidden_count` with every symbol at random.
 *
 * What is not at an end is drawn, in all of them, and the last ones keep code from
 * passing that is right at ends only. The numbers are the candidate's own words:
 * they move cases that would not be there without them, and no others.
 */
#ifndef CORE_TASK_HIDDEN_H
#define CORE_TASK_HIDDEN_H

#include "core/task/task.h"

#define HIDDEN_LOWS   4
#define HIDDEN_AT     6
#define HIDDEN_AROUND 2

/* What a number of a source may be, the likeliest size of a tile first. */
enum hidden_rank { HIDDEN_TUNABLE, HIDDEN_STEP, HIDDEN_OTHER, HIDDEN_RANKS };

struct hidden_number {
	int64_t size;
	enum hidden_rank rank;
	bool is_compared; /* "n > 64", "n == 64" */
};

/* "n % 32 == 31", "(n & 31) == 31", "n % 32 == 32 - 1" */
struct hidden_rest {
	int64_t modulus, rest; /* 0 < rest < modulus */
};

/* Numbers in sources, each once. */
struct hidden_numbers {
	struct hidden_number *v;
	size_t n, cap;
	struct hidden_rest *rest;
	size_t n_rests, cap_rests;
};

/* Of the files among `files` that a candidate may change; at most 1024. */
void hidden_numbers_read(struct hidden_numbers *out, const struct task *t,
			 const struct fileset *files);
/* The same without functions in C, C++ and CUDA that the task's entry does not come
 * to: that nothing names which it does come to, nor a macro or a table. Where the entry
 * is not in `files`, all count. */
void hidden_numbers_reached(struct hidden_numbers *out, const struct task *t,
			    const struct fileset *files);
void hidden_numbers_release(struct hidden_numbers *numbers);
DEFINE_RELEASE(hidden_numbers, struct hidden_numbers, hidden_numbers_release)
#define cleanup_hidden_numbers CLEANUP(hidden_numbers)

struct secret_random;
/* How many hidden cases a scoring has; 0 without `hidden`. */
size_t hidden_total(const struct task *t);
/* How many of them are not drawn at random; they come first. */
size_t hidden_planned(const struct task *t);
/* Draws them: `out` has room for hidden_total. task_case_release disposes of
 * each. */
void hidden_draw_all(struct task_case *out, const struct task *t,
		     const struct hidden_numbers *numbers,
		     struct secret_random *r);
/* One with every symbol at random. The task has `hidden`. */
void hidden_draw(struct task_case *out, const struct task *t,
		 struct secret_random *r);
/* As hidden_draw, but number `symbol` is from `low` to `high` and within its range,
 * each of the sizes there as likely, whatever hidden.require says of it. False: there
 * is none, and nothing to dispose of. */
bool hidden_draw_within(struct task_case *out, const struct task *t,
			size_t symbol, int64_t low, int64_t high,
			struct secret_random *r) MUST_CHECK;
/* Names it by its sizes, "hidden m=3 n=17"; it has no name. */
void hidden_name(struct task_case *c, const struct task *t);
/* Does it meet hidden.require, where there is one? */
bool hidden_meets(const struct task *t, const struct task_case *c);
/* Are there sizes in the ranges that meet hidden.require? Tried with as many
 * draws as hidden_draw makes. */
bool hidden_is_possible(const struct task *t);

#endif
