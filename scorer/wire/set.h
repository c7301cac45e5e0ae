/*
 * One set of inputs: the arguments of a case, concrete, with contents that
 * no candidate has seen. The same set goes to every arm once.
 */
#ifndef SCORER_WIRE_SET_H
#define SCORER_WIRE_SET_H

#include "core/base/secret.h"
#include "scorer/wire/protocol.h"

struct input_set {
	struct entry_call call;
	struct recipe recipe;
	uint64_t history; /* equal for sets of equal case and fills */
	int fd;		  /* memfd of batch images; -1 before set_open */
};
#define INPUT_SET_INIT   \
	{                \
		.fd = -1 \
	}

/* The fills that a mixed argument gets in correctness scoring, in an order that is
 * drawn: each kind once, but kinds by row twice, and normal contents in them alone,
 * since timed launches have these. */
#define MIXED_FILLS 9
void mixed_fills_draw(enum fill out[MIXED_FILLS], struct secret_random *secret);
/* What it gets in a timed launch, for all arms alike: drawn for each, among those
 * on which no honest kernel takes longer. */
enum fill timed_fill(struct secret_random *secret);

/* Lays a case out and draws seed and placement; arguments whose fill is
 * mixed get `mixed`. No memory yet. */
struct error *set_init(struct input_set *s, const struct task *t,
		       const struct task_case *c, enum fill mixed,
		       int64_t batch, struct secret_random *secret,
		       struct layout_random *layout) MUST_CHECK;
/* Another set of the same case whose static arguments have the same contents,
 * and no other has. */
void set_init_static(struct input_set *s, const struct input_set *like,
		     struct secret_random *secret);
/* Makes the (empty) file, for the judge to fill. */
struct error *set_open(struct input_set *s) MUST_CHECK;
/* From here on nothing can write it. */
struct error *set_seal(struct input_set *s) MUST_CHECK;
/* A file for a copy of its own for one arm, which nothing can write once it is
 * sealed: two that open the same file have its locks, positions, leases, time
 * stamps and pages between them. set_copy_drop disposes of it. */
struct error *set_copy_open(int *out, const struct input_set *s) MUST_CHECK;
struct error *set_copy_seal(int fd) MUST_CHECK;
/* The launch is over: whatever keeps the file open, there is nothing in it. */
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
