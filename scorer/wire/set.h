/*
 * One input set: the concrete arguments of a case, with contents that no
 * candidate has seen. Every arm gets the same set once.
 */
#ifndef SCORER_WIRE_SET_H
#define SCORER_WIRE_SET_H

#include "core/base/secret.h"
#include "scorer/wire/protocol.h"

struct input_set {
	struct entry_call call;
	struct series series; /* which images are launched */
	struct recipe recipe;
	const char *case_name; /* borrowed of its case */
	uint64_t history;      /* equal for sets of equal case and fills */
	int fd;		       /* memfd of batch images; -1 before set_open */
};
#define INPUT_SET_INIT   \
	{                \
		.fd = -1 \
	}

/* The fills that a mixed argument gets in correctness checks, in random order:
 * each kind once, but kinds by row twice. Normal contents are only in those,
 * since timed launches have them. */
#define MIXED_FILLS 9
void mixed_fills_draw(enum fill out[MIXED_FILLS], struct secret_random *secret);
/* The fill that it gets in a timed launch, the same for all arms: drawn for
 * each launch among those on which no honest kernel takes longer. */
enum fill timed_fill(struct secret_random *secret);

/* Lays a case out and draws seed and placement; arguments whose fill is
 * mixed get `mixed`. Allocates no memory yet. A batch outside 1 to
 * PROTOCOL_BATCH is ERROR_TASK. */
struct error *set_init(struct input_set *s, const struct task *t,
		       const struct task_case *c, enum fill mixed,
		       int64_t batch, struct secret_random *secret,
		       struct layout_random *layout) MUST_CHECK;
/* The least and the greatest that argument number `i`, whose fill is a range, holds in
 * the case. */
struct error *set_range(double *low, double *high, const struct task *t,
			size_t i, const struct task_case *c) MUST_CHECK;
/* Is it an input of integers within bounds? Of one element it may be a count, a mode or
 * an offset of a state. */
bool set_is_integer_in_range(const struct argument *a);
/* Is it one of integers of a byte or two within bounds: pixels, samples, quantised
 * weights, whose sums are kept in narrow types? Or one of 32 or 64 bits within
 * bounds that are as far apart as half of its type, in the task's first case: what
 * carries, or overflows? */
bool set_has_ends(const struct task *t, size_t i);
/* Those get contents of this kind, FILL_ALL_HIGH and those after it. */
void set_use_ends(struct input_set *s, const struct task *t,
		  const struct task_case *c, enum fill kind);
/* Is it one of integers within nearer bounds: indices, labels, counts? */
bool set_has_near_ends(const struct task *t, size_t i);
/* Argument number `i`, of which that is so, holds the greatest of its numbers alone, or
 * the least. */
void set_use_near_end(struct input_set *s, const struct task *t,
		      const struct task_case *c, size_t i, bool high);
/* How many inputs are mixed: those that get the kind of set_init. */
size_t set_mixed_inputs(const struct task *t);
/* Of those only number `which` keeps its kind, the others get normal contents. */
void set_use_normal_beside(struct input_set *s, const struct task *t,
			   const struct task_case *c, size_t which);
/* Lets only half of the images be launched, in random order, as a series. The
 * batch is even, at most twice PROTOCOL_SERIES. */
void set_draw_series(struct input_set *s, struct secret_random *secret);
/* Another set of the same case, of one image: static arguments have the same
 * contents, all others new ones. */
void set_init_static(struct input_set *s, const struct input_set *like,
		     struct secret_random *secret);
/* In a set of set_init_static, arguments of `kept` have the same contents as in `like`,
 * of which no others were kept. */
void set_keep(struct input_set *s, const struct input_set *like,
	      const bool kept[TASK_MAX_ARGS]);
/* Makes the file, all zeros, for the judge to fill. */
struct error *set_open(struct input_set *s) MUST_CHECK;
/* From now on nothing can write to the file. */
struct error *set_seal(struct input_set *s) MUST_CHECK;
/* A file for one arm's own copy, which nothing can write to once it is sealed:
 * two arms with the same file would share its locks, positions, leases, time
 * stamps and pages. set_copy_drop disposes of it. */
struct error *set_copy_open(int *out, const struct input_set *s) MUST_CHECK;
struct error *set_copy_seal(int fd) MUST_CHECK;
/* After the launch: empties the file, since a process may keep it open. */
void set_copy_drop(int *fd);
DEFINE_RELEASE(set_copy, int, set_copy_drop)
#define cleanup_set_copy CLEANUP(set_copy)
/* Drops the file; call and recipe stay. */
void set_release(struct input_set *s);
/* A memfd of so many bytes whose size is fixed. */
struct error *sized_memfd(int *out, const char *name, size_t bytes) MUST_CHECK;

DEFINE_RELEASE(input_set, struct input_set, set_release)
#define cleanup_input_set CLEANUP(input_set)

#endif
