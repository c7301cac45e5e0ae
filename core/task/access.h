/*
 * Which elements of a tensor a kernel reaches: the offsets of its accesses, as
 * polynomials over loop variables, come to a shape, and strides where the
 * tensor is not dense.
 */
#ifndef CORE_TASK_ACCESS_H
#define CORE_TASK_ACCESS_H

#include "core/task/polynomial.h"
#include "core/task/task.h"

/* How far some of them go. */
struct reach {
	struct poly extent; /* elements from the first to the last */
	/* n_dims 0: not found. */
	struct poly dim[TASK_MAX_DIMS], stride[TASK_MAX_DIMS];
	size_t n_dims;
};
#define ACCESS_OTHERS 4

struct accesses {
	bool any;
	bool unsure; /* some offset is not known */
	bool doubt;  /* set by the caller: the next one may not go so far */
	bool moved;  /* set by the caller: the next one is further on */
	/* Set by the caller: the next one is in a loop that may end before its
	 * bound. */
	bool ended;
	/* Of such loops one goes further ahead by a number of elements, as
	 * x[i + k] with k < 4 does, than what else there is: that counts. */
	bool ahead;
	bool far_ahead; /* `far` is such a one: nothing else is there */
	bool guarded;	/* none that goes as far as `extent` does so for sure */
	/* Set by the caller: the next one is under a condition, and in which of
	 * the loops that no other is around; 0: in none. */
	bool conditional;
	size_t loop;
	bool read_first, written;
	/* What is read before anything is written may have been written in an
	 * earlier turn: the one read that counts was under a condition. */
	bool read_unsure;
	size_t read_in;		/* the loop of it */
	struct poly last_read;	/* not ok: unknown */
	bool from_start;	/* the first element is written */
	struct poly written_to; /* after the last one that is */
	int64_t constant;	/* the greatest offset without a loop */
	struct reach far;	/* of the one that goes furthest */
	/* Of which it is not known whether it is further than that, or than each
	 * other: x[i] and x[index[k]]. accesses_choose ends it. */
	struct reach other[ACCESS_OTHERS];
	size_t n_others;
};

enum access_kind { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_BOTH = 3 };

void accesses_add(struct accesses *a, struct poly_table *t,
		  const struct poly *offset, enum access_kind kind);
/* It goes as far as `far` or other number `which` - 1 (0: `far`), and the others do,
 * too: none is left. */
void accesses_choose(struct accesses *a, size_t which);
/* "b, t, c", and in *strides "ld, 1" or nothing. False if nothing is known. Where
 * some offset is not (`unsure`), what is known of the others. */
bool accesses_shape(struct buf *shape, struct buf *strides,
		    const struct accesses *a, const struct poly_table *t);

#endif
