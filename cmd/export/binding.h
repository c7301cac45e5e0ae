/*
 * The operator of PyTorch that calls an exported function: C++ that checks the
 * tensors, makes outputs and workspaces, and calls. The operator's arguments
 * are, in this order: the tensors that the function reads, as the task has them;
 * an int for each symbol that no dimension of these tells; the prepared buffers.
 * It returns the outputs that are not among the arguments.
 */
#ifndef CMD_EXPORT_BINDING_H
#define CMD_EXPORT_BINDING_H

#include "cmd/export/code.h"

enum binding_kind {
	BINDING_ENTRY,
	BINDING_PREPARE, /* takes static inputs, returns prepared buffers */
	/* Of the test: take and return all, change nothing. */
	BINDING_PLAIN,
	BINDING_REFERENCE, /* floats that it writes are f64 */
};

struct torch_binding {
	enum binding_kind kind;
	const char *name;   /* of the operator */
	const char *symbol; /* of the linker */
};

/* Refuses what an operator cannot be: one without a tensor to read. */
struct error *binding_check(const struct export_source *s) MUST_CHECK;
/* What a file with bindings begins with: includes and helpers. `setup`: the
 * linker's name of what is called once before all; NULL: nothing. */
void binding_begin(struct buf *out, const struct export_source *s,
		   const char *setup);
/* The function `NAME` in an unnamed namespace. */
void binding_function(struct buf *out, const struct export_source *s,
		      const struct torch_binding *b);
/* An expression that makes the tensor of this argument on the CPU. */
void binding_new_tensor(struct buf *out, const struct argument *a);
/* "scale(Tensor x, int k) -> Tensor" */
void binding_schema(struct buf *out, const struct export_source *s,
		    const struct torch_binding *b);
/* Is the argument a tensor that the operator takes? */
bool binding_takes(const struct export_source *s, const struct torch_binding *b,
		   size_t argument);
/* Is it one that the operator returns? */
bool binding_returns(const struct export_source *s,
		     const struct torch_binding *b, size_t argument);
/* Where the symbol's value is read: an argument and its dimension; false: it is
 * an argument of its own. */
bool binding_finds(size_t *argument, size_t *dim, const struct export_source *s,
		   const struct torch_binding *b, const char *symbol);

#endif
