/*
 * A Definition of FlashInfer-Bench with its Workloads: read as what a stranger
 * wrote, and said in the form of KernelBench (its reference is the Model), so
 * that problem.h can run it and tell where it is weak. Axes that vary become the
 * task's symbols, Workloads its cases.
 */
#ifndef CMD_IMPORT_DEFINITION_H
#define CMD_IMPORT_DEFINITION_H

#include "cmd/import/problem.h"
#include "core/base/json.h"

/* Workloads of other sizes beyond these are left out. */
#define DEFINITION_CASES 8

struct bench_definition {
	const char *path;   /* borrowed, for messages */
	struct json *all;   /* the Definition */
	struct json *first; /* the inputs of the first Workload; NULL: none */
	struct json *cases; /* array of {axis: size}; distinct */
	size_t left_out;
	struct buf task_cases; /* as the task file has them */
};

/* `workloads` NULL: there is no such file. `values` gives sizes of the axes that vary
 * and numbers among the inputs in its stead ("rows=16,64 eps=1e-6"); NULL: every
 * axis is constant. ERROR_TASK where it is no Definition, or one that a task cannot
 * say; ERROR_USAGE for values that are none of it. `path` is borrowed. */
struct error *definition_read(struct bench_definition *out, const char *path,
			      const char *workloads,
			      const char *values) MUST_CHECK;
/* Adds the problem in KernelBench's form, at the sizes of the first case. */
struct error *definition_problem(struct buf *out,
				 const struct bench_definition *d) MUST_CHECK;
/* Gives the tensors the names of their axes, and the task its cases. Refuses a
 * reference that returns something else than the Definition says. *p borrows
 * from *d. */
struct error *definition_apply(struct problem *p,
			       struct bench_definition *d) MUST_CHECK;
/* The first input of integers, borrowed; NULL: there is none. */
const char *definition_any_integers(const struct bench_definition *d);
void definition_release(struct bench_definition *d);

DEFINE_RELEASE(bench_definition, struct bench_definition, definition_release)
#define cleanup_bench_definition CLEANUP(bench_definition)

#endif
